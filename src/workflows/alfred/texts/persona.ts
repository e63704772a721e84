import { PawlError } from "../../../core/error.ts";
import { openByText } from "../../../core/text/by-text.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";

export interface Persona {
  readonly name: string;
  readonly title: string;
  readonly greeting: string;
  readonly communication_style: string;
  readonly thinking_methodology: readonly string[];
}

const TEXTS = ["name", "title", "greeting", "communication_style"] as const;

const known = openByText<Persona>(50);

/** Throws `persona-invalid` with every problem. */
export function parsePersona(text: string, path: string): Persona {
  return known(text, () => parse(text, path));
}

function parse(text: string, path: string): Persona {
  const { faults, data } = readYaml(text);
  const problems = faults.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  if (problems.length === 0) problems.push(...problemsOf(data));
  if (problems.length === 0) return data as Persona;
  throw new PawlError(
    "persona-invalid",
    [`${path} is not a persona:`, ...problems.slice(0, 20).map((problem) => `- ${problem}`)].join("\n"),
    `Correct ${path}: ${TEXTS.join(", ")} are texts, thinking_methodology is a list of texts.`,
  );
}

function problemsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [`expected a mapping, found ${show(value)}`];
  const fields = value as Record<string, unknown>;
  const problems: string[] = [];
  for (const name of TEXTS)
    if (typeof fields[name] !== "string")
      problems.push(`${name}: expected a string, found ${show(fields[name])}`);
  const thinking = fields.thinking_methodology;
  if (!Array.isArray(thinking) || thinking.some((item) => typeof item !== "string"))
    problems.push(`thinking_methodology: expected a list of texts, found ${show(thinking)}`);
  const known: readonly string[] = [...TEXTS, "thinking_methodology"];
  for (const name of Object.keys(fields))
    if (!known.includes(name)) problems.push(`${name}: expected no such key; known are ${known.join(", ")}`);
  return problems;
}

const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
