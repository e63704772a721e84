/** The JSON schemas of the files that people write, for editors: made from what the files are checked by. */
import { z } from "zod";
import { pawlFile } from "../config/config-schema.ts";
import { tasksFile } from "../tasks-file/schema.ts";
import { WORKFLOW_FILE } from "../workflows/custom/schema.ts";

/** By the name under which each is published. */
export const JSON_SCHEMAS = {
  "pawl.schema.json": async () => render("pawl.yaml", await pawlFile()),
  "tasks.schema.json": () => render("tasks.yaml", tasksFile),
  "workflow.schema.json": () => render("A workflow of one's own", WORKFLOW_FILE),
} as const;

function render(title: string, schema: z.ZodType): Record<string, unknown> {
  return { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input", override: allowShort }) };
}

type Node = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>>[0];

/** Where something is made ready before it is checked, its short form is valid too: an entry for a list, a text for a map. */
function allowShort({ zodSchema, jsonSchema }: Node): void {
  const { def } = zodSchema._zod;
  if (def.type !== "pipe" || def.in._zod.def.type !== "transform") return;
  const { description, ...whole } = jsonSchema;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
  const short = whole.type === "array" ? whole.items : { type: "string", minLength: 1 };
  Object.assign(jsonSchema, { ...(description ? { description } : {}), anyOf: [short, whole] });
}
