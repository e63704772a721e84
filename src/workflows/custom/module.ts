/** The project's own workflows, each as a module like any other. */
import { PawlError, toPawlError } from "../../core/error.ts";
import { isId } from "../../core/id.ts";
import type { View } from "../../core/ports/store.ts";
import type { GateInput, Tool, Verb, WorkflowModule } from "../../runtime/module.ts";
import { withInput } from "../../runtime/transaction/transaction.ts";
import { optional, required, verb } from "../../runtime/verb.ts";
import type { DefinitionSource } from "./definition.ts";
import type { SendInput } from "./sent.ts";

export interface OwnWorkflows {
  readonly sources: readonly DefinitionSource[];
  /** A view of the present project, for displays outside of transactions. */
  view(): View;
}

/** The modules by name. Lazy: a workflow is read only when its module is needed. */
export function openOwnWorkflows(own: OwnWorkflows): Readonly<Record<string, () => Promise<WorkflowModule>>> {
  let tools: Promise<readonly Tool[]> | undefined;
  const shared = () => {
    tools ??= import("./tools.ts").then(({ toolsOf }) => toolsOf(own.sources));
    return tools;
  };
  return Object.fromEntries(own.sources.map((source) => [source.name, () => openOne(source, own, shared)]));
}

/** Does not throw for a faulty file: each use of the workflow reports that. */
async function openOne(
  source: DefinitionSource,
  own: OwnWorkflows,
  tools: () => Promise<readonly Tool[]>,
): Promise<WorkflowModule> {
  const { name } = source;
  const loaded = await source.load(own.view()).catch(toPawlError);
  const isSound = !(loaded instanceof PawlError);
  const gates = isSound ? Object.values(loaded.definition.gates ?? {}) : [];
  const description = isSound
    ? (loaded.definition.summary ?? "A workflow of the project's own.")
    : `It cannot be used: \`pawl check ${name}\` says why.`;
  return {
    name,
    title: isSound ? loaded.definition.table.title : name,
    summary: description,
    begin: `pawl cast ${name}:ID`,
    ...(isSound ? {} : { fault: loaded }),
    guidance: `A run is named ${name}:ID. See its events with look, send them with advance.`,
    async tables() {
      const { definition, placeOf } = await source.load(own.view());
      const owners = (await import("./definition.ts")).ownersOf(definition);
      const table = { workflow: definition.table, replies: Object.keys(definition.replies), owners };
      return [placeOf ? { ...table, placeOf } : table];
    },
    overview: async (view) => (await import("./overview.ts")).overview(source, view),
    scope: async (view, id) => (await import("./scope.ts")).scopeOf(source, view, id),
    runs: async () => (await import("./run-kind.ts")).runsOfSources([source]),
    runIds: async (view) => (await import("./run-file.ts")).listRuns(view, name),
    runOfCall: (tool, input) => runOfCall(name, tool, input),
    tools,
    prompts: async () => [],
    resources: async () => [],
    acceptEdit: async () => (await import("./accept-edit.ts")).acceptEditOf(source),
    story: async () => (await import("./story.ts")).storyOf(source),
    missingRecords: async (view, id) =>
      (await import("./load-run.ts")).loadMissing(view, name, id, await source.load(view)),
    adopt: async () => (await import("./adopt.ts")).adoptOf(name, (view) => source.load(view)),
    ...(source.file !== null && {
      policy: async (view, settings, id) =>
        (await import("./govern.ts")).policyIn(view, source, id, settings),
      holdsLoosened: true,
      proof: async () => (await import("./proof.ts")).openProof(await source.load(own.view())),
    }),
    verbs: [castVerb(source, own)],
    ...(gates.some((gate) => gate !== "human") && {
      gate: () => gateOf(source),
      review: async () => (await import("./review.ts")).reviewIn(source),
    }),
  };
}

/** The run's id in a call of `advance` or `look`, which all of the project's own workflows share. */
function runOfCall(name: string, tool: string, { run }: Readonly<Record<string, unknown>>): string | null {
  if ((tool !== "advance" && tool !== "look") || typeof run !== "string") return null;
  const id = run.slice(name.length + 1);
  return run.startsWith(`${name}:`) && isId(id) ? id : null;
}

function castVerb({ name }: DefinitionSource, { sources }: OwnWorkflows): Verb {
  return verb(
    "cast",
    "send an event to a run, or show where it stands",
    [
      required("run", `the run: ${name}:ID`),
      optional("event", "the event; without it, the run is shown"),
      { flags: "--fact <name=value...>", description: "facts that the event asks for" },
      { flags: "-m, --notes <text>", description: "what is to be kept with the event" },
    ],
    async () => (await import("./send.ts")).sendTo(sources),
    { prose: true, accepts: (words) => words[0]?.startsWith(`${name}:`) === true },
  );
}

/** `pawl approve` and `pawl reject`: send the state's event for that verdict. */
async function gateOf(source: DefinitionSource) {
  const { sendTo } = await import("./send.ts");
  return withInput(
    sendTo([source]),
    ({ approve, id, notes, version }: GateInput): SendInput => ({
      run: `${source.name}:${id}`,
      verdict: approve ? "approve" : "reject",
      version,
      ...(notes === undefined ? {} : { notes }),
    }),
  );
}
