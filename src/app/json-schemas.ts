/**
 * The JSON schemas, for editors, of the files that people write. Made from the schemas with which Pawl checks
 * those files.
 */
import { z } from "zod";
import { pawlFile } from "../config/config-schema.ts";
import { tasksFile } from "../tasks-file/schema.ts";
import { EXTENDING_FILE, WORKFLOW_FILE } from "../workflows/custom/definition/schema.ts";

/** Published file name → schema. */
export const JSON_SCHEMAS = {
  "pawl.schema.json": async () => render("pawl.yaml", await pawlFile()),
  "tasks.schema.json": () => render("tasks.yaml", tasksFile),
  "workflow.schema.json": () => render("A workflow of one's own", z.union([WORKFLOW_FILE, EXTENDING_FILE])),
} as const;

function render(title: string, schema: z.ZodType): Record<string, unknown> {
  return { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input", override: allowShort }) };
}

type Node = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>>[0];

/** Permits the short forms that Pawl normalises before the check: an entry for a list, a string for a map. */
function allowShort({ zodSchema, jsonSchema }: Node): void {
  const { def } = zodSchema._zod;
  if (def.type !== "pipe" || def.in._zod.def.type !== "transform") return;
  const { description, ...whole } = jsonSchema;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
  const short = whole.type === "array" ? whole.items : { type: "string", minLength: 1 };
  Object.assign(jsonSchema, { ...(description ? { description } : {}), anyOf: [short, whole] });
}
