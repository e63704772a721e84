/** The project's own workflows, each as a module like any other. */
import { PawlError, toPawlError } from "../../core/error.ts";
import { isId } from "../../core/id.ts";
import type { View } from "../../core/ports/store.ts";
import type { AgainInput, GateInput, Table, Tool, Verb, WorkflowModule } from "../../runtime/module.ts";
import { withInput } from "../../runtime/transaction/transaction.ts";
import { optional, required, verb } from "../../runtime/verb.ts";
import type { Definition, DefinitionSource } from "./definition/definition.ts";
import type { SendInput } from "./sent.ts";

export interface OwnWorkflows {
  readonly sources: readonly DefinitionSource[];
  /** A view of the present project, for displays outside of transactions. */
  view(): View;
}

/** The modules by name. Lazy: a workflow is read only when its module is needed. */
export function openOwnWorkflows(
  workflows: OwnWorkflows,
): Readonly<Record<string, () => Promise<WorkflowModule>>> {
  let tools: Promise<readonly Tool[]> | undefined;
  const shared = () => {
    tools ??= import("./tools.ts").then(({ toolsOf }) => toolsOf(workflows.sources));
    return tools;
  };
  return Object.fromEntries(
    workflows.sources.map((source) => [source.name, () => openOne(source, workflows, shared)]),
  );
}

/** Does not throw for a faulty file: each use of the workflow reports that. */
async function openOne(
  source: DefinitionSource,
  workflows: OwnWorkflows,
  tools: () => Promise<readonly Tool[]>,
): Promise<WorkflowModule> {
  const { name } = source;
  const loaded = await source.load(workflows.view()).catch(toPawlError);
  const isSound = !(loaded instanceof PawlError);
  if (isSound && loaded.definition.extends) return lifeModule(source, workflows, loaded.definition);
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
    tables: () => tablesOf(source, workflows),
    overview: async (view, context) =>
      (await import("./overview.ts")).overview(source, view, context, workflows.sources),
    scopes: {
      runIds: async (view) => (await import("./run-file.ts")).listRuns(view, name),
      scopeOf: async (view, id) => (await import("./scope.ts")).scopeOf(source, view, id),
      runOfCall: (tool, input) => runOfCall(name, tool, input),
    },
    mcp: {
      guidance: `A run is named ${name}:ID. See its events with look, send them with advance.`,
      tools,
    },
    story: async () => (await import("./story.ts")).storyOf(source, workflows.sources),
    log: { kind: async () => (await import("./run-kind.ts")).runsOfSources([source]) },
    records: async () => (await import("./adopt.ts")).recordsOf(name, (view) => source.load(view)),
    ...(source.file !== null && {
      policy: {
        present: async (view, settings, id) =>
          (await import("./govern.ts")).policyIn(view, source, id, settings),
        proof: async () => (await import("./proof.ts")).openProof(await source.load(workflows.view())),
      },
    }),
    verbs: [castVerb(source, workflows)],
    again: () => againOf(source, workflows.sources),
    ...(gates.some((gate) => gate !== "human") && {
      gate: {
        verdict: () => gateOf(source, workflows.sources),
        review: async () => (await import("./review.ts")).reviewIn(source, workflows.sources),
      },
    }),
  };
}

async function tablesOf(source: DefinitionSource, workflows: OwnWorkflows): Promise<readonly Table[]> {
  const [{ ownersOf }, { boundOf }, { repliesOf }, { loadFamily }, { extensionFaults }] = await Promise.all([
    import("./definition/definition.ts"),
    import("./agents/bound.ts"),
    import("./proved.ts"),
    import("./begin/family.ts"),
    import("./definition/extending.ts"),
  ]);
  const loaded = await source.load(workflows.view());
  const { definition, placeOf } = loaded;
  const bound = boundOf(definition, await loadFamily(workflows.sources, workflows.view(), source, loaded));
  const table = {
    ...{ workflow: definition.table, replies: repliesOf(definition), owners: ownersOf(definition) },
    ...(bound && { bound }),
    broken: extensionFaults(definition),
  };
  return [placeOf ? { ...table, placeOf } : table];
}

/** A task's life has no runs of its own: the tasks whose `life` names it follow its table. */
function lifeModule(
  source: DefinitionSource,
  workflows: OwnWorkflows,
  definition: Definition,
): WorkflowModule {
  const { name } = source;
  const { summary = "A life of tasks.", table } = definition;
  return {
    ...{ name, title: table.title, summary },
    tables: () => tablesOf(source, workflows),
    overview: async () => [],
    // It says why there is no such run.
    verbs: [castVerb(source, workflows)],
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
      { flags: "-m, --notes <text>", description: "words that are kept with the event" },
    ],
    async () => (await import("./send.ts")).sendTo(sources),
    { prose: true, accepts: (words) => words[0]?.startsWith(`${name}:`) === true },
  );
}

/** `pawl cast RUN` of a person, where an agent's order waits for one. */
async function againOf(source: DefinitionSource, sources: readonly DefinitionSource[]) {
  const { sendTo } = await import("./send.ts");
  return withInput(
    sendTo(sources),
    ({ id, isAnswer, words }: AgainInput): SendInput => ({
      run: `${source.name}:${id}`,
      again: isAnswer ? "answer" : "any",
      notes: words,
    }),
  );
}

/** `pawl approve` and `pawl reject`: send the state's event for that verdict. */
async function gateOf(source: DefinitionSource, sources: readonly DefinitionSource[]) {
  const { sendTo } = await import("./send.ts");
  return withInput(
    sendTo(sources),
    ({ approve, id, notes, version }: GateInput): SendInput => ({
      run: `${source.name}:${id}`,
      verdict: approve ? "approve" : "reject",
      version,
      ...(notes === undefined ? {} : { notes }),
    }),
  );
}
