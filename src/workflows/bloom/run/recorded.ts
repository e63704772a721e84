/** A task's run file counts only together with its record: if the file was edited, the task is held. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { initialConfiguration } from "../../../engine/decide.ts";
import type { StoredConfiguration } from "../../../runtime/run-log/history.ts";
import { checkRecord } from "../../../runtime/run-log/record.ts";
import type { StateFiles } from "../../../runtime/transaction/transaction.ts";
import { sharedIn } from "./recorded-state.ts";
import { BLOOM } from "./table.ts";

const FILE = /^\.pawl\/(?:runs|done)\/([^/]+)\.json$/;

export const BLOOM_STATES: StateFiles = {
  table: BLOOM,
  runOf(path) {
    const id = FILE.exec(path)?.[1];
    return id === undefined ? null : `bloom:${id}`;
  },
  configurationIn(text) {
    const first = initialConfiguration(BLOOM, {});
    return attempt(() => {
      const { kept, state } = JSON.parse(text) as Partial<StoredConfiguration>;
      return { state: state ?? first.state, variables: kept ?? first.variables };
    }, first);
  },
  sharedIn,
};

/** Throws `state-tampered`. */
export function checkRun(view: View, path: ProjectPath, text: string): Promise<void> {
  return checkRecord(view, BLOOM_STATES, path, text);
}

/** Returns the error of a held run; throws any other error. */
export function heldBy(thrown: unknown): PawlError {
  if (thrown instanceof PawlError && thrown.code === "state-tampered") return thrown;
  throw thrown;
}
