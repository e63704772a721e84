import { PawlError } from "../../../core/error.ts";
import { type Fault, faultsOf } from "../../../core/faults.ts";
import type { Artifact } from "../state/state-file.ts";
import { renderStructure } from "../texts/structure.ts";
import { ARTIFACTS, type ArtifactName } from "./artifacts.ts";

/**
 * The artifact as its schema parses it. Throws `artifact-invalid` with every issue: path, expected, found.
 */
export function validate(name: ArtifactName, state: string, input: unknown): Artifact {
  const schema = ARTIFACTS[name];
  const result = schema.safeParse(input);
  if (result.success) return result.data as Artifact;
  const lines = faultsOf(schema, result.error.issues, input).map((fault) => `- ${described(fault)}`);
  throw new PawlError(
    "artifact-invalid",
    [
      `Artifact validation failed for state '${state}'. The submitted artifact does not have the structure of ${name}:`,
      ...lines,
    ].join("\n"),
    `Correct what is listed and call submit_work again. The structure of ${name}:\n${renderStructure(name)}`,
  );
}

function described({ path, expected, found, near }: Fault): string {
  const place = path === "" ? "(the artifact)" : path;
  if (expected !== null) return `${place}: expected ${expected}, found ${found}`;
  return `${place}: expected no such key, found ${found}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
}
