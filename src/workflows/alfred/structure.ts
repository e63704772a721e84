import { z } from "zod";
import { ARTIFACTS, type ArtifactName } from "./artifacts.ts";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** An artifact's structure as a model reads it best: JSON with a few words in the place of each value. */
export function renderStructure(name: ArtifactName): string {
  const schema = z.toJSONSchema(ARTIFACTS[name], { io: "input", unrepresentable: "any" }) as Schema;
  return JSON.stringify(sketch(schema, true), null, 2);
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
