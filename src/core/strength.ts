/**
 * How strong a person's verdict is: by which way it came, from the weakest to the strongest. None of these is proof that a
 * person gave it: no program can tell the same user's agent from the user. The words say so wherever one is shown.
 */
export const STRENGTHS = ["relayed", "program", "elicited", "terminal"] as const;

export type Strength = (typeof STRENGTHS)[number];

/** Where a verdict is shown, after "approved" or "rejected". */
export const STRENGTH_WORDS: Readonly<Record<Strength, string>> = {
  relayed: "relayed by the assistant; unverified: the assistant's word",
  program: "passed on by a program; unverified: that program's word",
  elicited: "asked through the client; unverified: the client's word",
  terminal: "given at a terminal; unverified: anyone with your shell",
};

/** The words for what a file or an event says, which may be of a version before or after this one. */
export function strengthWords(strength: unknown): string {
  return STRENGTHS.some((known) => known === strength)
    ? STRENGTH_WORDS[strength as Strength]
    : "unverified: recorded without its channel";
}
