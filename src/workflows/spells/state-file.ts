import { NotText, PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import { accepts, fields, object, optional, readState } from "../../core/state-json.ts";
import type { Configuration } from "../../engine/workflow.ts";
import { REPARO_ORIGINS } from "./facts-space.ts";
import { STATE_FILE } from "./files.ts";
import { STATES } from "./states.ts";

/** How many history entries the file keeps; the run log has all of them. */
const HISTORY_KEPT = 200;

/** `.ai/task/state.json`: the authority on the present state. Keys that Pawl does not know are kept. */
export interface StateFile {
  readonly current_state: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly history: readonly HistoryEntry[];
}

interface HistoryEntry {
  /** UTC, to the second: `2026-01-31T09:30:00Z`. */
  readonly timestamp: string;
  /** `A → B` */
  readonly transition: string;
  /** The spell: `Accio`. */
  readonly trigger: string;
}

const FIX =
  "Run `pawl repair` to be offered the state that the files suggest, or restore .ai/task/state.json from version control. The file was left unchanged.";

/** The state before the work has begun. */
export const FIRST_STATE: StateFile = { current_state: "GATHER_NEEDS_CONTEXT", context: {}, history: [] };

/** The state on disk. Throws `state-unreadable`, also if the file is not text. */
export async function loadState(view: View): Promise<StateFile> {
  let text: string | null;
  try {
    text = await view.read(STATE_FILE);
  } catch (thrown) {
    throw thrown instanceof NotText ? unreadableStateError("it is not valid UTF-8") : thrown;
  }
  return parseState(text);
}

/**
 * Thrown if the file's text is not a state of Spells; `pawl repair` offers the state that the files suggest.
 */
export class UnusableState extends PawlError {}

/**
 * The state, or the initial one without a file. Throws `state-unreadable` if the text is not a state of
 * Spells.
 */
export function parseState(json: string | null): StateFile {
  if (json === null) return FIRST_STATE;
  const state = readState(json, STATE, (line, problem) => unreadableStateError(`line ${line}: ${problem}`));
  return { ...state, context: state.context ?? {}, history: state.history ?? [] };
}

const STATE = fields({
  current_state: accepts<string>(
    (value) => typeof value === "string" && Object.hasOwn(STATES, value),
    `one of ${Object.keys(STATES).join(", ")}`,
  ),
  context: optional(object),
  history: optional(accepts<readonly HistoryEntry[]>(Array.isArray, "a list")),
});

export function renderState(state: StateFile): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** The configuration in the file. An origin that the table does not know counts as null. */
export function configurationOf(state: StateFile): Configuration {
  const origin = state.context.reparo_origin;
  const knownOrigin = REPARO_ORIGINS.find((name) => name === origin) ?? null;
  return { state: state.current_state, variables: { reparo_origin: knownOrigin } };
}

/** The file after a move; `context`: what the new state needs besides the variables. */
export function afterMove(
  state: StateFile,
  after: Configuration,
  move: {
    readonly trigger: string;
    readonly time: string;
    readonly context: Readonly<Record<string, unknown>>;
  },
): StateFile {
  const origin = after.variables.reparo_origin;
  const entry = {
    timestamp: toSeconds(move.time),
    transition: `${state.current_state} → ${after.state}`,
    trigger: move.trigger,
  };
  return {
    ...state,
    current_state: after.state,
    context: origin ? { reparo_origin: origin, ...move.context } : move.context,
    history: [...state.history, entry].slice(-HISTORY_KEPT),
  };
}

/** ISO 8601 in UTC without milliseconds. */
export function toSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

function unreadableStateError(what: string): PawlError {
  return new UnusableState("state-unreadable", `.ai/task/state.json cannot be used: ${what}.`, FIX);
}
