/**
 * The strength of a person's verdict, by its channel, from the weakest to the strongest. Only a signature is
 * proof, and only of the key: no program can distinguish an agent from the user whose account it runs under.
 * The words say so wherever a strength is shown.
 */
const STRENGTHS = [
  "relayed",
  "program",
  "elicited",
  "terminal",
  "board",
  "passkey",
  "signed",
  "touched",
] as const;

export type Strength = (typeof STRENGTHS)[number];

/** Shown after "approved" or "rejected". */
const STRENGTH_WORDS: Readonly<Record<Strength, string>> = {
  relayed: "relayed by the assistant; unverified: the assistant's word",
  program: "passed on by a program; unverified: that program's word",
  elicited: "asked through the client; unverified: the client's word",
  terminal: "given at a terminal; unverified: anyone with your shell",
  board: "given on the board; unverified: anyone with your browser",
  passkey: "given on a device with its passkey; this machine checked it, `pawl verify` cannot",
  signed: "signed at a terminal; `pawl verify` checks it",
  touched: "signed at a terminal with a touch of the key; `pawl verify` checks it",
};

/** Null: unknown to this version. */
export function asStrength(found: unknown): Strength | null {
  return STRENGTHS.find((one) => one === found) ?? null;
}

/** The words for the strength in a file or an event, which an earlier or a later version may have written. */
export function strengthWords(strength: unknown): string {
  const asked = asStrength(strength);
  return asked === null ? "unverified: recorded without its channel" : STRENGTH_WORDS[asked];
}

/** A gate's required strength of a verdict, from the least to the most. */
export const GATE_LEVELS = ["any", "terminal", "signed", "touch"] as const;

export type GateLevel = (typeof GATE_LEVELS)[number];

/** By the name of a gate or a workflow, or `default`. */
export type GateLevels = Readonly<Record<string, GateLevel>>;

/** The level of the gate `WORKFLOW.GATE`: its own entry counts first, then its workflow's, then `default`. */
export function levelOf(levels: GateLevels, gate: string): GateLevel {
  const [workflow = "", name = ""] = gate.split(/\.(.*)/s);
  const entry = [gate, name, workflow, "default"].find((each) => Object.hasOwn(levels, each));
  return entry === undefined ? "any" : (levels[entry] ?? "any");
}

/**
 * Whether the workflow has a gate with a signed level. An entry by a gate's name alone counts for every
 * workflow, since no gate is known here.
 */
export function hasSignedGate(levels: GateLevels, workflow: string): boolean {
  const gates = Object.keys(levels).flatMap((entry) => {
    if (entry === "default") return [];
    return entry.includes(".") ? [entry] : [`${workflow}.${entry}`];
  });
  return [`${workflow}.`, ...gates].some(
    (gate) => gate.startsWith(`${workflow}.`) && isSignedLevel(levelOf(levels, gate)),
  );
}

export function stricter(one: GateLevel, other: GateLevel): GateLevel {
  return GATE_LEVELS.indexOf(one) < GATE_LEVELS.indexOf(other) ? other : one;
}

const LEAST: Readonly<Record<GateLevel, Strength>> = {
  any: "relayed",
  terminal: "terminal",
  signed: "signed",
  touch: "touched",
};

export function isStrongEnough(strength: Strength, level: GateLevel): boolean {
  return STRENGTHS.indexOf(strength) >= STRENGTHS.indexOf(LEAST[level]);
}

/** Whether the gate's verdicts are signed and recorded. */
export function isSignedLevel(level: GateLevel): boolean {
  return level === "signed" || level === "touch";
}

/** After who gave a verdict: the database's login that brought it, if one did. */
export function loginWords(login: string | undefined): string {
  return login === undefined ? "" : `, as ${login} in the database`;
}
