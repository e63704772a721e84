import { PawlError } from "../../../core/error.ts";
import type { Artifact } from "../state/state-file.ts";
import { faultLines, renderStructure } from "../texts/structure.ts";
import { ARTIFACTS, type ArtifactName } from "./artifacts.ts";

/**
 * The artifact as its schema parses it. Throws `artifact-invalid` with every issue: path, expected, found.
 */
export function validate(name: ArtifactName, state: string, input: unknown): Artifact {
  const schema = ARTIFACTS[name];
  const result = schema.safeParse(input);
  if (result.success) return result.data as Artifact;
  const lines = faultLines(schema, result.error, input, "(the artifact)").map((line) => `- ${line}`);
  throw new PawlError(
    "artifact-invalid",
    [
      `Artifact validation failed for state '${state}'. The submitted artifact does not have the structure of ${name}:`,
      ...lines,
    ].join("\n"),
    `Correct what is listed and call submit_work again. The structure of ${name}:\n${renderStructure(name)}`,
  );
}
