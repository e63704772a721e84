/** What an agent may do about its own work, and no gate: what its prompts tell it to run. */
import type { Letter } from "../../base/ports.ts";
import type { Advance, Reply } from "../module.ts";

interface OwnVerb {
  /** Of its input, what it may say. */
  readonly says: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each verb has an input of its own
  readonly advance: () => Promise<Advance<any, any, any, Reply>>;
}

const OWN: Readonly<Record<string, OwnVerb>> = {
  "step done": { says: ["id"], advance: async () => (await import("./verbs/step.ts")).stepDone },
  done: { says: ["id"], advance: async () => (await import("./verbs/status.ts")).done },
  ask: { says: ["task", "text", "blocking"], advance: async () => (await import("./verbs/question.ts")).ask },
  note: { says: ["id", "text"], advance: async () => (await import("./verbs/person.ts")).note },
};

export const OWN_VERBS: readonly string[] = Object.keys(OWN);

/** What a letter asks for, as its verb takes it; null: no agent may ask for that. */
export function readLetter({ verb, input }: Letter): (OwnVerb & { readonly input: unknown }) | null {
  const own = Object.hasOwn(OWN, verb) ? OWN[verb] : undefined;
  if (!own) return null;
  const said = Object.entries(input).filter(([name]) => own.says.includes(name));
  const isRight = said.every(
    ([name, value]) => typeof value === (name === "blocking" ? "boolean" : "string"),
  );
  const isWhole = own.says.every((name) => name === "blocking" || said.some(([given]) => given === name));
  return isRight && isWhole ? { ...own, input: Object.fromEntries(said) } : null;
}
