import type { z } from "zod";
import { PawlError } from "../../base/error.ts";
import { ARTIFACTS, type ArtifactName } from "./artifacts.ts";
import type { Artifact } from "./state-file.ts";
import { renderStructure } from "./structure.ts";

const MAX_FOUND = 120;

/** The artifact as its schema makes it. Throws `artifact-invalid` with every issue: path, expected, found. */
export function validate(name: ArtifactName, state: string, input: unknown): Artifact {
  const result = ARTIFACTS[name].safeParse(input, { reportInput: true });
  if (result.success) return result.data as Artifact;
  const lines = result.error.issues.flatMap((issue) => describe(issue, input)).map((line) => `- ${line}`);
  throw new PawlError(
    "artifact-invalid",
    [
      `Artifact validation failed for state '${state}'. The submitted artifact does not have the structure of ${name}:`,
      ...lines,
    ].join("\n"),
    `Correct what is listed and call submit_work again. The structure of ${name}:\n${renderStructure(name)}`,
  );
}

type Issue = z.core.$ZodIssue;

function describe(issue: Issue, input: unknown): readonly string[] {
  const at = issue.path.map(String);
  const found = show(valueAt(input, issue.path));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const value = show(valueAt(input, [...issue.path, key]));
      return `${[...at, key].join(".")}: expected no such key, found ${value}`;
    });
  return [`${at.join(".") || "(the artifact)"}: expected ${expectation(issue)}, found ${found}`];
}

function expectation(issue: Issue): string {
  if (issue.code === "invalid_type") return EXPECTED[issue.expected] ?? issue.expected;
  if (issue.code === "invalid_value") return `one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_union") return "a text or an object";
  return issue.message;
}

const EXPECTED: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  string: "a text",
};

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_FOUND ? `${text.slice(0, MAX_FOUND)}…` : text;
}
