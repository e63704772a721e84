/** Warns of client hooks that could answer Pawl's questions in the person's place. */
import { getNodeValue } from "jsonc-parser";
import { projectPath } from "../../../core/path.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Host } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";
import { nodeIn } from "./json-text.ts";

const FILES = [".claude/settings.json", ".claude/settings.local.json"] as const;

/** `Elicitation` runs before the person is asked; `ElicitationResult` can change their answer. */
const EVENTS = ["Elicitation", "ElicitationResult"] as const;

/** Prints one line on standard error for each file with such hooks. */
export async function warnOfElicitation(host: Host, { root, runtime }: Project): Promise<void> {
  const view = runtime.store.view();
  const { settingsAtHome } = await host.machine.guard(root);
  const texts = new Map<string, string | null>();
  for (const name of FILES) texts.set(name, await view.read(projectPath(name)));
  texts.set(`~/${FILES[0]}`, settingsAtHome(FILES[0]));
  for (const [name, text] of texts) {
    const events = EVENTS.filter((event) => hasHooks(text ?? "", event));
    if (events.length > 0)
      host.terminal.err(
        `${host.name}: warning: ${clean(name)} has hooks on ${events.join(" and ")}, which can answer in your place when Pawl asks you through the client; with \`human_review: confirm\` Pawl asks only in your terminal.\n`,
      );
  }
}

function hasHooks(text: string, event: string): boolean {
  const node = nodeIn(text, ["hooks", event]);
  const value: unknown = node && getNodeValue(node);
  return Array.isArray(value) && value.length > 0;
}
