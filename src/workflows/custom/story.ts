/** A run's whole history: what was sent by whom, when, on which facts. */
import { fenced, quote } from "../../core/fence.ts";
import { strengthWords } from "../../core/strength.ts";
import type { Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import type { DefinitionSource } from "./definition.ts";
import { loadFile } from "./load-run.ts";
import type { RunFile } from "./run-file.ts";

export function storyOf(
  source: Pick<DefinitionSource, "name">,
): Transaction<StoryInput, RunFile, undefined, Reply> {
  return {
    run: () => null,
    read: (view, { id }) => loadFile(view, source, id),
    propose: (file) => ({ reply: { text: renderStory(file), data: { ...file } } }),
  };
}

function renderStory(file: RunFile): string {
  const head = `# ${file.workflow}:${file.id}\n\nBegun at ${file.created_at}; now in \`${file.state}\`.\n`;
  return [head, ...file.history.map(renderEntry)].join("\n");
}

function renderEntry(entry: RunFile["history"][number]): string {
  const { by, facts, ended, notes, strength } = entry;
  const found = Object.entries(facts ?? {}).map(([name, value]) => `${name} = ${value}`);
  const parts = [
    `## ${entry.event}: ${entry.from} → ${entry.to}`,
    `${entry.time}, rule ${entry.row}${by ? `, by ${by.channel}${by.who ? ` (${by.who})` : ""}` : ""}${strength ? `; ${strengthWords(strength)}` : ""}`,
    ...(found.length > 0 ? [`Found: ${found.join(", ")}`] : []),
    ...(ended ? [`\`${ended.command}\` ended with ${ended.exit_code}:`, fenced(ended.tail)] : []),
    ...(notes ? [quote(notes)] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}
