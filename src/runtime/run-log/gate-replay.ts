/**
 * Checks the records of a run's gates against its table: whether their steps are possible, from the beginning
 * on, and whether each signed gate has a record.
 */
import type { GateRecord } from "../../core/gate-record.ts";
import { startingConfigurations } from "../../engine/configuration.ts";
import { reachOf } from "../../engine/reach.ts";
import type { Configuration, FactValue, Workflow } from "../../engine/workflow.ts";
import type { Replayed } from "../module.ts";
import { isSame, stepFrom } from "./history.ts";

/** The signed gate that a move passes in the table of the run; null: it passes none. */
export type SignedGate = (move: Pick<Move, "event" | "from">) => Passed | null;

export interface Passed {
  readonly gate: string;
  readonly verdict: GateRecord["verdict"];
}

interface Move {
  readonly event: string;
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** The records of one life, from its beginning. */
export function replayTable(table: Workflow, records: readonly GateRecord[], signed: SignedGate): Replayed {
  const [first] = records;
  const begun: Configuration = {
    state: table.initial,
    variables: (first?.start ?? {}) as Readonly<Record<string, FactValue>>,
  };
  if (!startingConfigurations(table).some((start) => isSame(start, begun)))
    return {
      faults: ["it did not begin where a run of the table begins"],
      isFinal: records.map(() => false),
    };
  const faults: string[] = [];
  const isFinal: boolean[] = [];
  let at = begun;
  for (const [index, record] of records.entries()) {
    const moves = [...movesIn(record).slice(index === 0 ? 0 : 1), record];
    faults.push(...linkFaults(records[index - 1], record));
    for (const move of moves) {
      const leads = stepFrom(table, at, { ...move, row: move.rule });
      if (leads === null)
        return { faults: [...faults, `${words(move)} does not lead on from ${at.state}`], isFinal: padded() };
      const passed = signed(move);
      if (move !== record && passed) faults.push(`${words(move)} passed ${passed.gate} without a record`);
      if (move === record) faults.push(...gateFaults(record, passed));
      at = leads;
    }
    isFinal.push(reachesGoal(table, at, signed));
  }
  return { faults, isFinal: padded() };

  function padded() {
    return records.map((_, index) => isFinal[index] ?? false);
  }
}

/** The steps that move something: not the beginning of a life, nor a person's adoption of others' steps. */
function movesIn({ start, steps }: GateRecord): readonly Move[] {
  const moves = steps.filter(
    ({ kind }, index) => kind !== "adopted" && !(kind === "begun" && index === 0 && start !== null),
  );
  return moves as unknown as readonly Move[];
}

const words = ({ event, from }: Move) => `the step ${JSON.stringify(event)} in ${JSON.stringify(from)}`;

/** The previous record's verdict is the first step of the next one. */
export function linkFaults(before: GateRecord | undefined, record: GateRecord): readonly string[] {
  if (!before) return [];
  const [step] = movesIn(record) as readonly Partial<Move>[];
  const isSameMove =
    step?.event === before.event &&
    step.rule === before.rule &&
    step.from === before.from &&
    step.to === before.to;
  return isSameMove ? [] : [`record ${record.seq} does not begin with the verdict of record ${before.seq}`];
}

function gateFaults(record: GateRecord, passed: Passed | null): readonly string[] {
  if (passed === null) return [`record ${record.seq} is of ${words(record)}, at which no gate is signed`];
  if (passed.gate !== record.gate || passed.verdict !== record.verdict)
    return [
      `record ${record.seq} says ${record.verdict} at ${record.gate}, but its move is ${passed.verdict} at ${passed.gate}`,
    ];
  return [];
}

/** Whether some steps lead from there to a goal without passing a signed gate. */
function reachesGoal(table: Workflow, from: Configuration, signed: SignedGate): boolean {
  const { configurations } = reachOf(table);
  const start = configurations.findIndex(({ configuration }) => isSame(configuration, from));
  const visited = new Set([start]);
  const left = [start];
  for (let index = left.pop(); index !== undefined; index = left.pop()) {
    const here = configurations[index];
    if (!here) continue;
    if (table.goals.includes(here.configuration.state)) return true;
    for (const { event, to } of here.steps) {
      const isGate = to !== index && signed({ event, from: here.configuration.state }) !== null;
      if (isGate || visited.has(to)) continue;
      visited.add(to);
      left.push(to);
    }
  }
  return false;
}
