/** A run's whole history: who sent what, when, on which facts. */

import type { View } from "../../core/ports/store.ts";
import { strengthWords } from "../../core/strength.ts";
import { fenced, quote } from "../../core/text/fence.ts";
import type { Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import { loadLines } from "../../runtime/run-log/read.ts";
import { documentsOf } from "../../runtime/run-log/replay.ts";
import { hashOfStep, type Step } from "../../runtime/run-log/step.ts";
import type { Elsewhere } from "../../runtime/transaction/transaction.ts";
import { type Child, childrenList, childrenShown } from "./begin/children.ts";
import type { DefinitionSource } from "./definition/definition.ts";
import { endWords, factWords } from "./definition/describe.ts";
import { missingRunError } from "./load-run.ts";
import { elsewhereWords, loadOwn, type ResolvedRun, resolveRun } from "./resolve-run.ts";
import type { RunFile, StoredRun } from "./run-file.ts";

interface LoadedStory extends ResolvedRun {
  readonly outputs: Outputs;
  /** The runs that it began. */
  readonly children: readonly Child[];
}

/** What commands printed on this machine, by the step that reports their end. */
type Outputs = ReadonlyMap<string, string>;

async function loadOutputs(view: View, run: string): Promise<Outputs> {
  const lines = await loadLines(view, run);
  const documents = documentsOf(lines);
  return new Map(
    lines.flatMap(({ step }, at) => {
      const { output } = (documents[at] ?? {}) as Partial<StoredRun>;
      return step?.ended && output !== undefined ? [[hashOfStep(step), output] as const] : [];
    }),
  );
}

export function storyOf(
  source: Pick<DefinitionSource, "name">,
  sources: readonly DefinitionSource[] = [],
): Transaction<StoryInput, LoadedStory, undefined, Reply> {
  return {
    run: () => null,
    async read(view, { id }, context) {
      const resolved = await resolveRun(view, source.name, id, await loadOwn(view, source.name, id));
      if (resolved === null) throw missingRunError(source.name, id);
      const children = await childrenShown(resolved.file, { ...context, sources, view });
      return { ...resolved, children, outputs: await loadOutputs(view, `${source.name}:${id}`) };
    },
    propose: ({ children, elsewhere, file, outputs }) => ({
      reply: {
        text: renderStory(file, elsewhere, outputs, children),
        data: { ...file, ...(children.length > 0 && { children }), ...(elsewhere ? { elsewhere } : {}) },
      },
    }),
  };
}

function renderStory(
  file: RunFile,
  elsewhere: Elsewhere | null,
  outputs: Outputs,
  children: readonly Child[],
): string {
  const run = `${file.workflow}:${file.id}`;
  const head = `# ${run}\n\nBegun at ${file.created_at}; now in \`${file.state}\`.\n`;
  const from = elsewhere ? [`${elsewhereWords(run, elsewhere)}\n`] : [];
  const began = children.length > 0 ? [`It began:\n\n${childrenList(children)}\n`] : [];
  return [head, ...from, ...began, ...file.history.map((step) => renderStep(step, outputs))].join("\n");
}

function renderStep(step: Step, outputs: Outputs): string {
  const { by, ended, event, from, kind, notes, rule, strength, time, to } = step;
  const output = outputs.get(hashOfStep(step));
  const facts = factWords(step).toSorted();
  const parts = [
    `## ${event ?? kind}: ${from} → ${to}`,
    `${time}${rule === undefined ? "" : `, rule ${rule}`}, by ${by.channel}${by.who ? ` (${by.who})` : ""}${strength ? `; ${strengthWords(strength)}` : ""}`,
    ...(facts.length > 0 ? [`Found: ${facts.join(", ")}`] : []),
    ...(ended
      ? [
          ended.agent === undefined
            ? `\`${ended.command}\` ${endWords(ended)}:`
            : `The agent ${ended.agent} (${ended.command}) answered:`,
          ...(output === undefined ? [] : [fenced(output)]),
        ]
      : []),
    ...(notes ? [quote(notes)] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}
