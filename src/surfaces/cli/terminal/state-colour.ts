/** One colour per meaning, on every screen: red needs a remedy, yellow waits for a person, green is done. */
import type { Paint } from "./terminal.ts";

export type StateColour = "red" | "green" | "yellow";

const COLOURS: Readonly<Record<string, StateColour>> = {
  blocked: "red",
  budget_exhausted: "red",
  failed: "red",
  refused: "red",
  target_red: "yellow",
  agent_rests: "yellow",
  waiting_for_human: "yellow",
  done: "green",
  passed: "green",
  proved: "green",
};

/** The colours of a review's brief, by tone. */
export const TONES = { bad: "red", open: "yellow", warn: "yellow", good: "green" } as const;

/** Null for a state in between. */
export function colourOf(state: string): StateColour | null {
  return COLOURS[state] ?? null;
}

const COLUMN = new RegExp(`^((?:\\S+ {2,})?)(${Object.keys(COLOURS).join("|")})(?= {2}| \\(|$)`, "gm");

/** Paints a state that is alone in the first or second column of a line. */
export function paintStates(text: string, paint: Paint): string {
  return text.replace(COLUMN, (_, before: string, state: string) => {
    const colour = colourOf(state);
    return before + (colour === null ? state : paint[colour](state));
  });
}
