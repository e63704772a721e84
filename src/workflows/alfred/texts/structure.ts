import { z } from "zod";
import { faultsOf } from "../../../core/faults.ts";
import { jsonText } from "../../../core/json.ts";
import { ARTIFACTS, type ArtifactName } from "../tools/artifacts.ts";

/** What is wrong with a value, in a line for each fault; `whole` stands for the value itself. */
export function faultLines(
  schema: z.ZodType,
  { issues }: z.ZodError,
  value: unknown,
  whole: string,
): readonly string[] {
  return faultsOf(schema, issues, value).map(({ expected, found, near, path }) => {
    const place = path === "" ? whole : path;
    if (expected !== null) return `${place}: expected ${expected}, found ${found}`;
    return `${place}: expected no such key, found ${found}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
  });
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/**
 * An artifact's structure in the form that models read best: JSON with a few words in place of each value.
 */
export function renderStructure(name: ArtifactName): string {
  return jsonText(sketch(schemaOf(name), true));
}

const schemas = new Map<ArtifactName, Schema>();

function schemaOf(name: ArtifactName): Schema {
  const known = schemas.get(name);
  if (known) return known;
  const made = z.toJSONSchema(ARTIFACTS[name], { io: "input", unrepresentable: "any" }) as Schema;
  schemas.set(name, made);
  return made;
}

/** The artifact with null for every absent optional key, so that a strict template can refer to it. */
export function completed(name: ArtifactName, artifact: unknown): unknown {
  return fill(schemaOf(name), artifact);
}

function fill(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(schema.items ?? {}, item));
  if (!schema.properties || typeof value !== "object" || value === null) return value;
  const given = value as Record<string, unknown>;
  const names = [...new Set([...Object.keys(schema.properties), ...Object.keys(given)])];
  return Object.fromEntries(
    names.map((name) => [name, fill(schema.properties?.[name] ?? {}, given[name] ?? null)]),
  );
}

function sketch(schema: Schema, required: boolean): unknown {
  if (schema.properties) {
    const names = Object.entries(schema.properties);
    return Object.fromEntries(
      names.map(([name, value]) => [name, sketch(value, schema.required?.includes(name) ?? false)]),
    );
  }
  if (schema.type === "array") return [sketch(schema.items ?? {}, required)];
  const kind = schema.enum ? schema.enum.join(" | ") : kindOf(schema);
  const words = schema.description === undefined ? kind : `${kind} - ${schema.description}`;
  return required ? words : `(optional) ${words}`;
}

function kindOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(" or ");
  return schema.type ?? "any value";
}
