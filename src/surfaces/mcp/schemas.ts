/** Schemas in the form that clients get. */
import type { z } from "zod";

type JsonSchema = Record<string, unknown>;

/** The same schema without validation: the call checks its input itself, so that all refusals look alike. */
export function unchecked(schema: z.ZodObject): z.ZodObject {
  const standard = { ...shown(schema)["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(schema, { "~standard": { value: standard } });
}

/** The schema without its dialect, because dozens of schemas would repeat the protocol's own. */
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
