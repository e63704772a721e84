/** Shows one run, or all of them, without changing anything. */
import type { View } from "../../core/ports/store.ts";
import type { Reply, RunOverview, Transaction } from "../../runtime/module.ts";
import type { Governed } from "../../runtime/transaction/run-event.ts";
import { shown } from "./answers.ts";
import { type Child, childrenShown } from "./begin/children.ts";
import type { DefinitionSource } from "./definition/definition.ts";
import { govern } from "./govern.ts";
import { loadRun, type OwnRun } from "./load-run.ts";
import { overview } from "./overview.ts";

/** How many history entries are shown; the file keeps all of them. */
const HISTORY_SHOWN = 10;

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly runs: readonly RunOverview[];
}

type Loaded =
  | { readonly one: OwnRun; readonly children: readonly Child[]; readonly view: View }
  | { readonly all: readonly Listed[] };

export function show(
  sources: readonly DefinitionSource[],
): Transaction<{ readonly run?: string | undefined }, Loaded, Governed | null, Reply> {
  return {
    run: () => null,
    async read(view, { run }, context) {
      if (run === undefined) return { all: await Promise.all(sources.map((source) => listed(source, view))) };
      const one = await loadRun(sources, view, run);
      return { one, children: await childrenShown(one.file, { ...context, sources, view }), view };
    },
    observe: async (loaded, _, outside, context) =>
      "one" in loaded ? govern(loaded.one, outside, { ...context, view: loaded.view }, false) : null,
    propose(loaded, governed, input) {
      if ("all" in loaded) return { reply: renderAll(loaded.all) };
      const pinned = governed?.pin ? { pin: governed.pin } : {};
      const { reply } = shown(loaded.one, { run: input.run ?? "" }, governed?.ignored, loaded.children);
      const history = loaded.one.file?.history.slice(-HISTORY_SHOWN) ?? [];
      const steps = history.map(({ time, event, from, to }) => `- ${time} \`${event}\`: ${from} → ${to}`);
      const text = steps.length > 0 ? `${reply.text}\nHistory:\n${steps.join("\n")}\n` : reply.text;
      return { reply: { text, data: { ...reply.data, history } }, ...pinned };
    },
  };
}

async function listed(source: DefinitionSource, view: View): Promise<Listed> {
  const { table, summary = "" } = (await source.load(view)).definition;
  return { name: source.name, title: table.title, summary, runs: await overview(source, view) };
}

function renderAll(all: readonly Listed[]): Reply {
  const lines = all.flatMap(({ name, title, summary, runs }) => [
    `${title} (${name}): ${summary || `begun by sending an event to ${name}:ID`}`,
    ...runs.map(
      ({ run, state, next, problem }) =>
        `- ${run}: ${problem ? problem.message : [state, next].filter(Boolean).join("; ")}`,
    ),
  ]);
  const message = lines.join("\n");
  return { text: `${message}\n`, data: { status: "success", message, workflows: all } };
}
