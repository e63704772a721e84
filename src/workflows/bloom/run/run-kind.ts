/** The kind of a task's run for the run log: a state that does not follow from it is held. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import { initialConfiguration } from "../../../engine/decide.ts";
import type { StoredConfiguration } from "../../../runtime/run-log/history.ts";
import type { At, RunKind } from "../../../runtime/run-log/kind.ts";
import { type LifeRef, nameOfTable, tableNamed } from "./life.ts";
import { sharedIn } from "./recorded-state.ts";
import { BLOOM } from "./table.ts";

const FILE = /^\.pawl\/(?:runs|done)\/([^/]+)\.json$/;

export const TASK_RUNS: RunKind = {
  tableOf: tableNamed,
  start: configurationAt({ life: null, ...initialConfiguration(BLOOM, {}) }),
  runOf(path) {
    const id = FILE.exec(path)?.[1];
    return id === undefined ? null : `bloom:${id}`;
  },
  pathsOf(run) {
    const task = run.slice("bloom:".length);
    return [loopRunPath(task), loopDonePath(task)];
  },
  at(text) {
    const { kept, life, state } = attempt<Partial<Stored>, Partial<Stored>>(() => JSON.parse(text), {});
    return state === undefined || kept === undefined
      ? null
      : configurationAt({ life, state, variables: kept });
  },
  sharedIn,
};

interface Stored extends StoredConfiguration {
  readonly life: LifeRef | null | undefined;
}

/** A run's place in its table. */
export function configurationAt({ life, state, variables }: Omit<At, "machine"> & Pick<Stored, "life">): At {
  return { machine: nameOfTable(life), state, variables };
}

/** Returns the error of a held run; throws any other error. */
export function asHeldError(thrown: unknown): PawlError {
  if (thrown instanceof PawlError && thrown.code === "state-tampered") return thrown;
  throw thrown;
}
