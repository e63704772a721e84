/**
 * The commands of Pawl that are a person's word. Each asks at the terminal, or speaks for a person, so no assistant may call
 * it. The commands themselves refuse an agent too; here the assistant learns it before it tries.
 */
interface PersonVerb {
  /** One or two words. */
  readonly name: string;
  /** Only with one of these options. */
  readonly only?: readonly string[];
  /** Not with one of these, with which it only shows something. */
  readonly except?: readonly string[];
}

export const PERSON_VERBS: readonly PersonVerb[] = [
  { name: "approve" },
  { name: "reject" },
  { name: "trust", except: ["--show"] },
  { name: "repair" },
  { name: "policy", only: ["--accept"] },
  { name: "keys add" },
  { name: "init", only: ["--no-guard"] },
  { name: "workflow new" },
  { name: "uninstall", except: ["--dry-run"] },
  { name: "guard", only: ["--off"] },
  { name: "answer" },
  { name: "ready" },
  { name: "reset" },
  { name: "plan", only: ["--take"] },
  { name: "done", only: ["--force"] },
  { name: "cancel" },
  { name: "step cancel" },
];

/** Options that take the next word. */
const VALUED = ["--project", "--file", "-f", "--format"];

/** The person's verb that a call of `pawl` with these words is, or null. */
export function personVerbOf(words: readonly string[]): string | null {
  const plain = words.filter((word, at) => !word.startsWith("-") && !VALUED.includes(words[at - 1] ?? ""));
  // Behind another option, it would be that option's value.
  if (words.length === plain.length + 1 && ["--help", "-h"].includes(words.at(-1) ?? "")) return null;
  const has = (options: readonly string[]) =>
    words.some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)));
  const found = PERSON_VERBS.find(
    ({ name, only, except }) =>
      name === plain.slice(0, name.split(" ").length).join(" ") &&
      (only === undefined || has(only)) &&
      (except === undefined || !has(except)),
  );
  if (!found) return null;
  return found.only ? `${found.name} ${found.only[0]}` : found.name;
}
