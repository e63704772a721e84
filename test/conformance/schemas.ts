/** The files that name a published JSON schema, judged by it. The schemas are not Pawl's: they are read where they are published, or from a folder. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

export const AJV = { package: "ajv", version: "8.20.0" };

const CLIENTS = join(import.meta.dirname, "../../clients");
const FILES = ["agent-plugin/plugin.json", "agent-plugin/mcp.json", "registry/server.json"] as const;
const PATIENCE = 10_000;

type Validate = { (data: unknown): boolean; errors?: readonly { instancePath: string; message?: string }[] };
type Ajv = new (options: object) => { compile(schema: unknown): Validate };

/**
 * What each file's own schema says of it, one line each; `schemas` is a folder that holds them under their published names.
 * Throws where a schema refuses its file, or where the folder does not hold it. Without a folder, a schema that cannot be
 * reached is said so: it is no fault of the file.
 */
export async function judgeBySchema(modules: string, schemas: string | undefined): Promise<string> {
  const said: string[] = [];
  for (const file of FILES) {
    const data = JSON.parse(readFileSync(join(CLIENTS, file), "utf8"));
    const url: string = data.$schema;
    const schema = schemas === undefined ? await published(url) : local(schemas, url);
    if (schema === null) {
      said.push(`${file} not judged: ${url} cannot be reached (give --schemas FOLDER)`);
      continue;
    }
    if (schema.$id !== url) throw new Error(`${file} names ${url}, and the schema given is ${schema.$id}`);
    const faults = faultsOf(modules, schema, data);
    if (faults.length > 0) throw new Error(`${file}: ${faults.join("; ")}`);
    said.push(`${file} is valid by ${url}`);
  }
  return said.join("\n  ");
}

interface Schema {
  readonly $id: string;
  readonly $schema: string;
}

function faultsOf(modules: string, schema: Schema, data: unknown): readonly string[] {
  const require = createRequire(join(modules, "ajv", "package.json"));
  const { default: Ajv } = require(schema.$schema.includes("2020-12") ? "ajv/dist/2020" : "ajv") as {
    default: Ajv;
  };
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  return validate(data) ? [] : (validate.errors ?? []).map((at) => `${at.instancePath || "/"} ${at.message}`);
}

function local(folder: string, url: string): Schema {
  return JSON.parse(readFileSync(join(folder, basename(url)), "utf8"));
}

/** Null where its place does not answer. */
async function published(url: string): Promise<Schema | null> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    return reply.ok ? ((await reply.json()) as Schema) : null;
  } catch {
    return null;
  }
}
