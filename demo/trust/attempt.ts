/** One attempt of an agent: what it tries, what was seen of it afterwards, and whether that means that it was stopped. */
import { styleText } from "node:util";
import { print, wrapped } from "../stage.ts";

export type Layer =
  | "Pawl's tools"
  | "the guard"
  | "the evidence"
  | "the loop"
  | "the policy pin"
  | "the run's history"
  | "the signed gate"
  | "the terminal question"
  | "the wall"
  | "pawl verify";

/** Honest work, which must pass: a gate that never opens proves nothing. */
export type Passed = Pick<AttemptResult, "result" | "facts">;

/** What was looked at after an attempt. */
export interface AttemptResult {
  readonly layer: Layer;
  /** The layer's own word for it, as it was read: an error's code, an event. Null: it said nothing. */
  readonly word: string | null;
  /** What came of it, in a line. It is printed only if all `facts` hold. */
  readonly result: string;
  /** Every one must hold, or the attempt came through. */
  readonly facts: Readonly<Record<string, boolean>>;
  /** The deed was done, and was reported: so it is where there is no wall. */
  readonly onlyReported?: boolean;
}

/** What could not be looked at was not prevented. */
export function unseen(thrown: Error): AttemptResult {
  const [message = ""] = thrown.message.split("\n");
  const facts = { [`it could be looked at (${message})`]: false };
  return { layer: "Pawl's tools", word: "", result: "", facts };
}

export interface Outcome extends AttemptResult {
  readonly tries: string;
  /** Or, of honest work, that it did not pass. */
  readonly isFault: boolean;
  readonly isHonest: boolean;
}

export function judge(tries: string, seen: AttemptResult): Outcome {
  return { ...seen, tries, isFault: seen.word === null || !allHold(seen), isHonest: false };
}

export function judgeHonest(tries: string, passed: Passed): Outcome {
  return { ...passed, layer: "the evidence", word: "", tries, isFault: !allHold(passed), isHonest: true };
}

const allHold = ({ facts }: Pick<AttemptResult, "facts">) => !Object.values(facts).includes(false);

const LABEL = 11;
const WIDTH = 80 - LABEL - 2;

/** Three short lines; of honest work two. */
export function show(outcome: Outcome): void {
  const { tries, layer, word, result, isFault, isHonest, onlyReported } = outcome;
  print("");
  printRow(isHonest ? "honest" : "tries", tries);
  if (isFault) {
    printRow("but", missingIn(outcome).join("; "), "red");
    printRow("result", isHonest ? "IT DID NOT PASS" : "IT CAME THROUGH", "red");
  } else if (isHonest) printRow("passes", result, "green");
  else {
    const colour = onlyReported ? "yellow" : "green";
    printRow(onlyReported ? "told by" : "caught by", `${layer} (${word})`, colour);
    printRow(onlyReported ? "reported" : "prevented", result, colour);
  }
}

export function showOpen(tries: string, why: string): void {
  print("");
  printRow("not tried", tries);
  printRow("open", why, "yellow");
}

function missingIn({ facts, layer, word }: Outcome): readonly string[] {
  const missing = Object.entries(facts).flatMap(([fact, holds]) => (holds ? [] : [`not so: ${fact}`]));
  return word === null ? [`${layer} said nothing`, ...missing] : missing;
}

type Colour = "green" | "red" | "yellow";

function printRow(label: string, text: string, colour?: Colour): void {
  const [first = "", ...rest] = wrapped(text, WIDTH);
  const painted = (line: string) => (colour ? styleText(colour, line) : line);
  print(`  ${label.padEnd(LABEL)}${painted(first)}`);
  for (const line of rest) print(`${" ".repeat(LABEL + 2)}${painted(line)}`);
}

/** The code in brackets with which the program refuses. */
export function codeIn(text: string): string | null {
  return /\[([a-z]+(?:-[a-z]+)+)\]/.exec(text)?.[1] ?? null;
}
