/** Schemas as a client is shown them. */
import type { z } from "zod";

type JsonSchema = Record<string, unknown>;

/** The same schema to show; the call checks its input itself, so that a refusal looks like every other refusal. */
export function unchecked(schema: z.ZodObject): z.ZodObject {
  const standard = { ...shown(schema)["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(schema, { "~standard": { value: standard } });
}

/** The schema as it is shown: without its dialect, which is the protocol's own, in each of dozens of schemas. */
function shown(schema: z.ZodObject): z.ZodObject {
  return withSchema(schema, (made) => {
    const { $schema: _, ...rest } = made;
    return rest;
  });
}

export function withSchema(schema: z.ZodObject, change: (made: JsonSchema) => JsonSchema): z.ZodObject {
  const standard = schema["~standard"];
  const changed =
    (make: typeof standard.jsonSchema.input): typeof standard.jsonSchema.input =>
    (options) =>
      change(make(options));
  const jsonSchema = {
    input: changed(standard.jsonSchema.input),
    output: changed(standard.jsonSchema.output),
  };
  return Object.create(schema, { "~standard": { value: { ...standard, jsonSchema } } });
}
