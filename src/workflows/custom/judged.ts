/** What a person judges in a state that takes verdicts. */
import { BOOKKEEPING } from "../../core/gate-record.ts";
import type { Snapshot } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import { type Judged, versionOf } from "../../runtime/review/version.ts";
import type { Step } from "../../runtime/run-log/step.ts";
import { type Gate, gateName } from "./definition/definition.ts";
import { availableEvents, takesVerdict } from "./definition/describe.ts";
import type { OwnRun } from "./load-run.ts";

type Verdict = Exclude<Gate, "human">;

/** The state's event for the verdict. */
export function eventFor(
  { configuration, loaded: { definition } }: OwnRun,
  verdict: Verdict,
): string | undefined {
  const events = availableEvents(definition, configuration).map(({ event }) => event);
  return events.find((event) => definition.gates?.[event] === verdict);
}

/** People's verdicts in the run's present state, the oldest first. */
export function verdictsAt(run: OwnRun): readonly (Step & { readonly gate: Verdict })[] {
  const { gates = {} } = run.loaded.definition;
  return (run.file?.history ?? []).flatMap((step) => {
    const { event = "", from } = step;
    const gate = Object.hasOwn(gates, event) ? gates[event] : undefined;
    const isVerdict = gate !== undefined && gate !== "human" && from === run.configuration.state;
    return isVerdict ? [{ ...step, gate }] : [];
  });
}

export function roundOf(run: OwnRun): number {
  return 1 + verdictsAt(run).filter(({ gate }) => gate === "reject").length;
}

/** The version that waits for a verdict; null: none does. */
export async function presentVersion(run: OwnRun, work: Snapshot): Promise<string | null> {
  const { configuration, file, loaded, order } = run;
  if (file === null || order || !takesVerdict(loaded.definition, configuration)) return null;
  const judged: Judged = {
    run: run.run,
    gate: gateName(loaded.definition, configuration.state),
    state: configuration.state,
    round: roundOf(run),
    artifact: null,
    work: work.kind === "tree" ? work.tree : null,
    at: String(file.history.length),
  };
  return versionOf(judged);
}

export function inspectWork({ git }: Pick<Outside, "git">): Promise<Snapshot> {
  return git.snapshot({ base: null, own: BOOKKEEPING });
}
