/** The kind of a task's run for the run log: a state that does not follow from it is held. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import { initialConfiguration } from "../../../engine/decide.ts";
import type { StoredConfiguration } from "../../../runtime/run-log/history.ts";
import type { At, RunKind } from "../../../runtime/run-log/kind.ts";
import { sharedIn } from "./recorded-state.ts";
import { BLOOM } from "./table.ts";

const FILE = /^\.pawl\/(?:runs|done)\/([^/]+)\.json$/;

export const TASK_RUNS: RunKind = {
  tableOf: (machine) => (machine === BLOOM.name ? BLOOM : null),
  start: placeOf(initialConfiguration(BLOOM, {})),
  runOf(path) {
    const id = FILE.exec(path)?.[1];
    return id === undefined ? null : `bloom:${id}`;
  },
  pathsOf(run) {
    const task = run.slice("bloom:".length);
    return [loopRunPath(task), loopDonePath(task)];
  },
  at(text) {
    const { kept, state } = attempt<Partial<StoredConfiguration>, Partial<StoredConfiguration>>(
      () => JSON.parse(text),
      {},
    );
    return state === undefined || kept === undefined ? null : placeOf({ state, variables: kept });
  },
  sharedIn,
};

/** A run's place in Bloom's table. */
export function placeOf({ state, variables }: Omit<At, "machine">): At {
  return { machine: BLOOM.name, state, variables };
}

/** Returns the error of a held run; throws any other error. */
export function heldBy(thrown: unknown): PawlError {
  if (thrown instanceof PawlError && thrown.code === "state-tampered") return thrown;
  throw thrown;
}
