import { resolveCommand } from "../core/command-groups.ts";

/**
 * Pawl's commands reserved for a person. Each asks at the terminal or speaks for a person, so no assistant
 * may call it. The commands themselves refuse an agent, too; the guard refuses earlier, before the command
 * starts.
 */
interface PersonVerb {
  /** One or two words. */
  readonly name: string;
  /** Reserved only with one of these options. */
  readonly only?: readonly string[];
  /** Not reserved with one of these options, because then it only shows something. */
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

/** Options whose value is the next word. */
const VALUED = ["--project", "--file", "-f", "--format"];

/** The reserved command in a call of `pawl` with these words; null: none. */
export function personVerbOf(words: readonly string[]): string | null {
  const plain = words.filter((word, at) => !word.startsWith("-") && !VALUED.includes(words[at - 1] ?? ""));
  // After another option, it would be that option's value.
  if (words.length === plain.length + 1 && ["--help", "-h"].includes(words.at(-1) ?? "")) return null;
  const has = (options: readonly string[]) =>
    words.some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)));
  const called = resolveCommand(plain).words;
  const found = PERSON_VERBS.find(
    ({ name, only, except }) =>
      name === called.slice(0, name.split(" ").length).join(" ") &&
      (only === undefined || has(only)) &&
      (except === undefined || !has(except)),
  );
  if (!found) return null;
  return found.only ? `${found.name} ${found.only[0]}` : found.name;
}
