import { PawlError } from "../../core/error.ts";
import { checkId } from "../../core/id.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { DefinitionSource } from "./definition/definition.ts";

export interface RunName {
  readonly workflow: string;
  readonly id: string;
  /** `release:1.2.0` */
  readonly run: string;
}

/** Splits a run's name. Throws `usage`, `id-invalid` and `workflow-missing`. */
export function nameRun(sources: readonly DefinitionSource[], name: string): RunName {
  const colon = name.indexOf(":");
  if (colon <= 0) {
    const only = sources.length === 1 ? sources[0]?.name : "WORKFLOW";
    throw new PawlError(
      "usage",
      `${JSON.stringify(name)} names no run: expected the workflow, a colon and an id.`,
      `Write ${only}:${name || "ID"}.`,
    );
  }
  const workflow = sourceNamed(sources, name.slice(0, colon)).name;
  const id = checkId(name.slice(colon + 1), "run id");
  return { workflow, id, run: `${workflow}:${id}` };
}

export function sourceNamed(sources: readonly DefinitionSource[], name: string): DefinitionSource {
  const source = sources.find((each) => each.name === name);
  if (source) return source;
  const names = sources.map((each) => each.name);
  const near = nearest(name, names);
  throw new PawlError(
    "workflow-missing",
    `No workflow of the project's own is called ${JSON.stringify(name)}: expected one of ${names.join(", ")}.`,
    near ? `Use ${near}.` : "Name it in `workflows` of pawl.yaml.",
  );
}
