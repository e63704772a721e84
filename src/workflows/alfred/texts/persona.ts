import { z } from "zod";
import { PawlError } from "../../../core/error.ts";
import { openByText } from "../../../core/text/by-text.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";
import { faultLines } from "./structure.ts";

const PERSONA = z.strictObject({
  name: z.string(),
  title: z.string(),
  greeting: z.string(),
  communication_style: z.string(),
  thinking_methodology: z.array(z.string()),
});

export type Persona = Readonly<z.infer<typeof PERSONA>>;

const cache = openByText<Persona>(50);

/** Throws `persona-invalid` with every problem. */
export function parsePersona(text: string, path: string): Persona {
  return cache(text, () => parse(text, path));
}

function parse(text: string, path: string): Persona {
  const { faults, data } = readYaml(text);
  const parsed = PERSONA.safeParse(data);
  if (faults.length === 0 && parsed.success) return parsed.data;
  const problems = [
    ...faults.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`),
    ...(faults.length === 0 && parsed.error ? faultLines(PERSONA, parsed.error, data, "(the file)") : []),
  ];
  throw new PawlError(
    "persona-invalid",
    [`${path} is not a persona:`, ...problems.slice(0, 20).map((problem) => `- ${problem}`)].join("\n"),
    `Correct ${path}: name, title, greeting and communication_style are texts, thinking_methodology is a list of texts.`,
  );
}
