/**
 * What `pawl verify` checks Alfred's tasks against: a task's steps must lead through the tables of its tools,
 * in their order.
 */
import type { GateRecord } from "../../../core/gate-record.ts";
import { hashOf } from "../../../core/hash.ts";
import { canonical } from "../../../core/json.ts";
import { hashOfPolicy } from "../../../core/policy.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Settings } from "../../../core/settings.ts";
import { isSignedLevel, levelOf } from "../../../core/strength.ts";
import { decide } from "../../../engine/decide.ts";
import { REVIEW_POLICY, reviewPolicy } from "../../../engine/review.ts";
import type { GateProof, Replayed } from "../../../runtime/module.ts";
import { fromStored } from "../../../runtime/run-log/history.ts";
import { chainFault } from "../../../runtime/run-log/replay.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import { onlyBranch } from "../../../runtime/run-log/team-records.ts";
import { gateName, policyOf, reviewersOf } from "../gate/govern.ts";
import { VERIFIED } from "../tools/definition.ts";
import { definitionOf } from "../tools/definitions.ts";
import { machineOf, tablesHash } from "../tools/machine.ts";
import { after, NEW_TASK } from "./law.ts";
import { nameOf } from "./records.ts";
import { loadBranches } from "./resolve-run.ts";
import type { ReplayedState } from "./state-file.ts";
import { isRunTool, NEXT_TOOL, type RunTool, type TaskStatus } from "./status.ts";

export async function openProof(): Promise<GateProof> {
  return {
    tables: [tablesHash()],
    policy: (settings) => hashOfPolicy(policyOf(settings)),
    replay: async (records, settings) => replay(records, settings),
    artifacts,
  };
}

/** Whether a person must sign the verdict on the tool's artifact. */
function isSigned(tool: RunTool, { alfred, gates }: Settings): boolean {
  return reviewersOf(alfred.reviews, tool).includes("human") && isSignedLevel(levelOf(gates, gateName(tool)));
}

async function replay(records: readonly GateRecord[], settings: Settings): Promise<Replayed> {
  const faults: string[] = [];
  const isFinal: boolean[] = [];
  let current: ReplayedState = NEW_TASK;
  for (const [index, record] of records.entries()) {
    const steps = record.steps as unknown as readonly Step[];
    const [first] = steps;
    const before = records[index - 1];
    if (before && !(first?.event === before.event && first.machine === before.machine))
      faults.push(`record ${record.seq} does not begin with the verdict of record ${before.seq}`);
    for (const step of steps) {
      const isVerdict = before !== undefined && step === first;
      faults.push(...stepFaults(step, isVerdict, settings));
      const next = after(current, step);
      if (typeof next === "string")
        return {
          faults: [...faults, `the step ${step.event ?? step.kind} cannot be: ${next}`],
          isFinal: all(),
        };
      current = next;
    }
    const ends = verdictFaults(record, current, settings);
    faults.push(...ends.faults);
    isFinal.push(ends.isFinal);
  }
  const steps = records.flatMap((record) => record.steps as unknown as readonly Step[]);
  const broken = chainFault(steps, steps[0]);
  return { faults: [...faults, ...(broken === null ? [] : [broken])], isFinal: all() };

  function all() {
    return records.map((_, index) => isFinal[index] ?? false);
  }
}

function stepFaults(
  { event, kind, machine: tool, set, verdict }: Step,
  isVerdict: boolean,
  settings: Settings,
) {
  const named = `the step ${event ?? kind} of ${tool}`;
  if ((kind !== "begun" && kind !== "moved") || !isRunTool(tool))
    return [`${named} took the task as it was found`];
  const wanted = reviewPolicy(reviewersOf(settings.alfred.reviews, tool));
  if (kind === "begun" && set[REVIEW_POLICY] !== wanted)
    return [`${named} began with the reviewers [${set[REVIEW_POLICY]}], not with [${wanted}]`];
  const isHuman = verdict?.split(" ")[1] === "human";
  return isHuman && !isVerdict && isSigned(tool, settings)
    ? [`${named} passed ${gateName(tool)} without a record`]
    : [];
}

/** The faults of the verdict itself, given the state that the steps before it lead to. */
function verdictFaults(
  record: GateRecord,
  { active }: ReplayedState,
  settings: Settings,
): { readonly faults: readonly string[]; readonly isFinal: boolean } {
  const named = `record ${record.seq}`;
  const no = (fault: string) => ({ faults: [fault], isFinal: false });
  if (active === null || active.tool !== record.machine)
    return no(`${named} is of ${record.machine}, which is not active`);
  const definition = definitionOf(active.tool);
  const machine = machineOf(definition);
  const configuration = fromStored(active.position);
  const under = machine.underReview(configuration);
  const isKnown = Object.hasOwn(machine.workflow.events, record.event);
  if (under === null || !isKnown) return no(`${named} judges where nothing is under review`);
  const decision = decide(machine.workflow, configuration, record.event, {});
  const isAsRecorded =
    decision.rule.id === record.rule &&
    decision.rule.outcome === "moved" &&
    decision.before.state === record.from &&
    decision.after.state === record.to &&
    (record.event === machine.rejectEvent) === (record.verdict === "reject") &&
    record.gate === gateName(active.tool);
  if (!isAsRecorded) return no(`${named} is no verdict that ${record.from} takes`);
  if (record.artifact !== active.submitted) return no(`${named} is not on what was handed in`);
  if (under.reviewer !== "human" && record.verdict === "approve")
    return no(`${named} approves in the place of the assistant's own review`);
  return { faults: [], isFinal: isLast(active.tool, decision.after.state, settings) };
}

/** Whether no signed gate remains in the task's life after the tool's present state. */
function isLast(tool: RunTool, state: string, settings: Settings): boolean {
  if (state !== VERIFIED && isSigned(tool, settings)) return false;
  let status: TaskStatus = definitionOf(tool).status.after;
  for (let next = NEXT_TOOL[status]; next !== null; next = NEXT_TOOL[status]) {
    if (isSigned(next, settings)) return false;
    status = definitionOf(next).status.after;
  }
  return true;
}

/** What finished tools accepted, according to their records in git. */
async function artifacts(view: View, id: string) {
  const verdicts: { gate: string; sha256: string }[] = [];
  const branches = await loadBranches(view, id, null);
  const recorded = branches.length === 0 ? null : onlyBranch(nameOf(id), branches).recorded;
  for (const [tool, { accepted }] of Object.entries(recorded?.recordedState.finished ?? {}))
    for (const { artifact, sha256 } of accepted) {
      const gate = gateName(tool as RunTool);
      verdicts.push({ gate, sha256: hashOf(canonical(artifact)) === sha256 ? sha256 : "altered" });
    }
  return verdicts;
}
