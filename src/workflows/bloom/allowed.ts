import { OWN_VERBS } from "./own-verbs.ts";

/** What an agent may run unasked under `permission: edits`: the commands that its prompt names, and no gate. */
export function allowedCommands(command: string): readonly string[] {
  const own = OWN_VERBS.map((verb) => `${command} ${verb}`);
  return [...["add", "commit", "status", "diff", "log"].map((verb) => `git ${verb}`), ...own];
}
