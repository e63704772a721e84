import { PawlError } from "../../core/error.ts";
import type { Problem } from "../../core/yaml/located-yaml.ts";

/** All problems in one error. */
export function invalid(name: string, file: string, problems: readonly Problem[]): PawlError {
  const told = problems.map(
    ({ place, message }, at) => `${problems.length > 1 ? `(${at + 1}) ` : ""}${place}: ${message}`,
  );
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new PawlError(
    "workflow-invalid",
    [`The workflow ${name} has ${count}:`, ...told].join("\n"),
    `Edit ${file}; \`pawl check ${name}\` says when it is right.`,
  );
}

/** The entry of a file that is at fault. None: the file as a whole. */
export interface Blamed {
  readonly row?: string | undefined;
  readonly state?: string | undefined;
  readonly event?: string | undefined;
  readonly fact?: string | undefined;
  readonly agent?: string | undefined;
  /** The index of the glob in `plan_files`. */
  readonly planFile?: number | undefined;
}
