/** A run's whole history: who sent what, when, on which facts. */

import { strengthWords } from "../../core/strength.ts";
import { fenced, quote } from "../../core/text/fence.ts";
import type { Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import type { Elsewhere } from "../../runtime/transaction/transaction.ts";
import type { DefinitionSource } from "./definition.ts";
import { runMissing } from "./load-run.ts";
import { elsewhereWords, loadOwn, type ResolvedRun, resolveRun } from "./resolve-run.ts";
import type { RunFile } from "./run-file.ts";

export function storyOf(
  source: Pick<DefinitionSource, "name">,
): Transaction<StoryInput, ResolvedRun, undefined, Reply> {
  return {
    run: () => null,
    async read(view, { id }) {
      const standing = await resolveRun(view, source.name, id, await loadOwn(view, source.name, id));
      if (standing) return standing;
      throw runMissing(source.name, id);
    },
    propose: ({ elsewhere, file }) => ({
      reply: {
        text: renderStory(file, elsewhere),
        data: { ...file, ...(elsewhere ? { elsewhere } : {}) },
      },
    }),
  };
}

function renderStory(file: RunFile, elsewhere: Elsewhere | null): string {
  const run = `${file.workflow}:${file.id}`;
  const head = `# ${run}\n\nBegun at ${file.created_at}; now in \`${file.state}\`.\n`;
  const from = elsewhere ? [`${elsewhereWords(run, elsewhere)}\n`] : [];
  return [head, ...from, ...file.history.map(renderEntry)].join("\n");
}

function renderEntry(entry: RunFile["history"][number]): string {
  const { by, facts, ended, notes, strength } = entry;
  const found = Object.entries(facts ?? {})
    .map(([name, value]) => `${name} = ${value}`)
    .sort();
  const parts = [
    `## ${entry.event}: ${entry.from} → ${entry.to}`,
    `${entry.time}, rule ${entry.row}, by ${by.channel}${by.who ? ` (${by.who})` : ""}${strength ? `; ${strengthWords(strength)}` : ""}`,
    ...(found.length > 0 ? [`Found: ${found.join(", ")}`] : []),
    ...(ended
      ? [
          `\`${ended.command}\` ended with ${ended.exit_code}:`,
          ...(ended.tail === undefined ? [] : [fenced(ended.tail)]),
        ]
      : []),
    ...(notes ? [quote(notes)] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}
