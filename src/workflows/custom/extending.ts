/**
 * A file that extends Bloom's table: the life of a task as a team wants it. Its rows take their cases from Bloom's rules; in
 * each of its own states one of its own agents works.
 *
 * L1  What Bloom's table promises holds in every table that extends it (`PROMISES`); else it moves no task.
 * L2  Only an event of the file's own is an answer of its agents: none of Bloom's.
 * L3  A row starts an agent, or none: commands belong to `verify`.
 */
import type { LocatedYaml, Problem } from "../../core/yaml/located-yaml.ts";
import { type Extensible, extend, type OwnRow } from "../../engine/extend.ts";
import { checkPromises } from "../../engine/promises.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Violation } from "../../engine/violation.ts";
import type { State, Workflow } from "../../engine/workflow.ts";
import { checkAgents, commandFaults } from "./check-definition.ts";
import { agentCommandOf, type Definition, type Gate } from "./definition.ts";
import type { Blamed } from "./problem.ts";
import type { ExtendingFile, RowOver } from "./schema.ts";

/** The agent of the task itself. */
const TASKS_AGENT = "task";

export interface ParsedExtension {
  readonly definition: Omit<Definition, "replies" | "prompts">;
  readonly problems: readonly Problem[];
}

export function definitionOver(
  over: Extensible,
  name: string,
  entry: ExtendingFile,
  yaml: LocatedYaml,
): ParsedExtension {
  const states = statesOf(entry);
  const base = over.with(states);
  const faults = entryFaults(over, entry, base);
  const rows = entry.rows.flatMap((row): OwnRow[] => rowOf(row, base));
  const own = { states: {}, events: eventsOf(entry), facts: factsOf(entry), rows };
  const extended = extend(base, own);
  const filled = over.notNow(extended.table.rules, Object.keys(extended.table.events), states);
  const table: Workflow = {
    ...extended.table,
    name,
    title: entry.title,
    rules: [...extended.table.rules, ...filled],
  };
  const definition: ParsedExtension["definition"] = {
    ...{ table, sources: {}, extends: over, gates: gatesOf(over) },
    ...(entry.agents ? { agents: entry.agents as Definition["agents"] & object } : {}),
    ...(entry.summary === undefined ? {} : { summary: entry.summary }),
  };
  const found = [
    ...faults,
    ...extended.faults,
    ...table.rules.flatMap((rule) => {
      const order = agentCommandOf(rule);
      return order ? commandFaults(definition, rule, order) : [];
    }),
    ...checkAgents(definition),
  ];
  const structure = found.length > 0 ? [] : checkStructure(table);
  return {
    definition,
    problems: [
      ...found.map(({ message, ...blamed }) => ({ place: placeOf(entry, yaml, blamed), message })),
      ...structure.map((each) => ({ place: placeOfRule(entry, yaml, each), message: each.message })),
    ],
  };
}

/** What is wrong with a sound table beyond the engine's check: a broken promise. */
export function extensionFaults({
  extends: over,
  table,
}: Pick<Definition, "extends" | "table">): readonly Violation[] {
  return over ? checkPromises(table, over.promises, over.fixed) : [];
}

/** The names of what its rows reply: Bloom's, and texts of its own. */
export function repliesOver(over: Extensible, { rules }: Workflow): readonly string[] {
  return [...new Set([...over.replies, ...rules.map(({ reply }) => reply)])];
}

/** The texts that its rows name, beside the prompts. */
export function ownReplies({
  extends: over,
  table,
}: Pick<Definition, "extends" | "table">): ReadonlySet<string> {
  return new Set(table.rules.map(({ reply }) => reply).filter((reply) => !over?.replies.includes(reply)));
}

export function placeOfRule(entry: ExtendingFile, yaml: LocatedYaml, { rules, state }: Violation): string {
  const row = rules
    .map((id) => entry.rows.find((each) => id === each.id || id.startsWith(`${each.id}.`)))
    .find(Boolean);
  if (row) return placeOf(entry, yaml, { row: row.id });
  return state !== undefined && Object.hasOwn(entry.states ?? {}, state)
    ? yaml.keyPlace(["states", state])
    : yaml.place(["rows"]);
}

function statesOf({ states = {} }: ExtendingFile): Readonly<Record<string, State>> {
  return Object.fromEntries(
    Object.entries(states).map(([name, { description, forbids, writes }]) => [
      name,
      { description, writes: writes ?? "none", forbids: forbids ?? ["commit", "push"] },
    ]),
  );
}

function eventsOf({ events = {} }: ExtendingFile): Workflow["events"] {
  return Object.fromEntries(Object.entries(events).map(([name, { description }]) => [name, { description }]));
}

function factsOf({ facts = {} }: ExtendingFile): Workflow["facts"] {
  return Object.fromEntries(
    Object.entries(facts).map(([name, { description, initial, values }]) => [
      name,
      { description: description ?? "Kept by the run.", values: values ?? [], initial: initial ?? null },
    ]),
  );
}

/** Between two of these a run must come to its end by itself. */
function gatesOf({ persons }: Extensible): Readonly<Record<string, Gate>> {
  return Object.fromEntries(persons.map((event) => [event, "human"]));
}

/** It only sets more variables where a rule of the table applies that it extends. */
export const isChange = (row: RowOver, base: Workflow) => base.rules.some(({ id }) => id === row.id);

function rowOf(row: RowOver, base: Workflow): OwnRow[] {
  const { as, from = [], id, on, run, set, to } = row;
  if (isChange(row, base)) return [{ id, of: "base", ...(set && { set }) }];
  if (on === undefined) return [];
  const states = from.length === 1 && from[0] === "any" ? openStates(base) : from;
  const when = row.when?.map((box) =>
    Object.fromEntries(
      Object.entries(box).map(([fact, found]) => [
        fact,
        "not" in found
          ? (base.facts[fact]?.values ?? []).filter((value) => !found.not.includes(value))
          : found,
      ]),
    ),
  );
  if (as !== undefined) return [{ id, from: states, on, ...(when && { when }), as }];
  if (to === undefined) return [];
  const reply =
    row.reply ?? (to === "blocked" ? "blocked" : to === "waiting_for_human" ? "waits" : "went_on");
  return [
    {
      ...{ id, from: states, on, to, outcome: "moved", reply },
      ...(when && { when }),
      ...(set && { set }),
      ...(run && { commands: [commandOf(run)] }),
    },
  ];
}

function commandOf(run: NonNullable<RowOver["run"]>) {
  if (run.agent === TASKS_AGENT) return { type: "run-agent", purpose: "order", prompt: run.prompt };
  const given = Object.entries(run).filter(([, value]) => value !== undefined);
  return { type: "run", ...Object.fromEntries(given) };
}

function openStates({ states }: Workflow): readonly string[] {
  return Object.keys(states).filter((state) => states[state]?.final !== true);
}

// ── What the schema cannot say ────────────────────────────────────────────────────────────────────────────

type Fault = Blamed & { readonly message: string };

function entryFaults(over: Extensible, entry: ExtendingFile, base: Workflow): readonly Fault[] {
  const { agents = {}, events = {}, facts = {}, rows, states = {} } = entry;
  const targets = new Map(
    rows.flatMap(({ run, to }) => (typeof to === "string" ? [[to, run?.agent] as const] : [])),
  );
  return [
    ...Object.entries(states).flatMap(([state, { awaits, final, next }]) => [
      ...(final || awaits || next
        ? [
            {
              state,
              message: `state ${state}: one of its agents works there, so leave final, awaits and next out.`,
            },
          ]
        : []),
      ...(Object.hasOwn(over.table.states, state)
        ? [{ state, message: `state ${state}: Bloom has one of that name. Expected another name.` }]
        : []),
      ...(targets.has(state)
        ? []
        : [{ state, message: `state ${state}: no row leads there with \`run: {agent: …}\`.` }]),
    ]),
    ...Object.entries(events).flatMap(([event, { gate, verdict }]) =>
      gate || verdict
        ? [
            {
              event,
              message: `event ${event}: an agent's answer is no person's word: leave gate and verdict out.`,
            },
          ]
        : [],
    ),
    ...Object.entries(facts).flatMap(([fact, { initial, values }]) =>
      initial === undefined || values === undefined
        ? [{ fact, message: `fact ${fact}: expected a variable: its values and initial.` }]
        : [],
    ),
    ...doubleFaults(rows),
    ...(Object.hasOwn(agents, TASKS_AGENT)
      ? [{ agent: TASKS_AGENT, message: "agent task: that is the task's own agent. Expected another name." }]
      : []),
    ...rows.flatMap((row) =>
      rowFaults(over, row, entry, base).map((message) => ({
        row: row.id,
        message: `rule ${row.id}: ${message}`,
      })),
    ),
  ];
}

export function doubleFaults(rows: readonly RowOver[]): readonly Fault[] {
  return rows.flatMap(({ id }, at) =>
    rows.findIndex((each) => each.id === id) === at
      ? []
      : [{ row: id, message: `rule ${id}: another row has that id. Expected each once.` }],
  );
}

function rowFaults(over: Extensible, row: RowOver, entry: ExtendingFile, base: Workflow): readonly string[] {
  const { id, outcome, reply, run, set = {}, to } = row;
  const shape = shapeFaults("Bloom", row, isChange(row, base));
  if (shape !== null) return shape;
  const states = Object.keys(entry.states ?? {});
  const own = typeof to === "string" && states.includes(to);
  const strangers = Object.keys(set).filter(
    (name) => !Object.hasOwn(entry.facts ?? {}, name) && !over.sets.includes(name),
  );
  return [
    ...(typeof to === "string" ? [] : ["expected `to`, a state, or `as`, an event."]),
    ...(outcome !== undefined && outcome !== "moved"
      ? ["it takes cases from Bloom, so it must move: leave outcome out."]
      : []),
    ...strangers.map(
      (name) =>
        `it sets ${name}, which is Bloom's: expected a fact of this file, or ${over.sets.join(", ")}.`,
    ),
    ...(reply !== undefined && over.replies.includes(reply) && !over.sharedReplies.includes(reply)
      ? [
          `the reply ${reply} is Bloom's own: expected ${over.sharedReplies.join(", ")}, or a text of this file.`,
        ]
      : []),
    ...(own && (run?.agent === undefined || run.agent === TASKS_AGENT)
      ? [
          `it leads to ${to}, where one of this file's agents works: expected \`run: {agent, prompt, answers}\`.`,
        ]
      : []),
    ...(run === undefined ? workFaults(over, to) : runFaults(over, run, to, own, entry)),
    ...(row.begin === undefined ? [] : ["a row of a task's life begins no runs."]),
    ...(id.includes(".") ? ["its id has a dot, as Bloom's own have: expected another."] : []),
  ];
}

/** Of a row that does not lead on by itself, or lacks what each needs; null: it leads on. */
export function shapeFaults(base: string, row: RowOver, changes: boolean): readonly string[] | null {
  const { as, begin, from, on, outcome, reply, run, set, to } = row;
  if (changes) {
    const more = Object.keys(row).filter(
      (key) => key !== "id" && key !== "set" && row[key as keyof RowOver] !== undefined,
    );
    if (more.length === 0 && set !== undefined) return [];
    return [
      `${base} has a rule of that id, and a row of this file adds only \`set\` to it: ${more.length === 0 ? "expected that" : `leave ${more.join(", ")} out, or give the row another id`}.`,
    ];
  }
  if (from === undefined || on === undefined)
    return [`expected \`from\` and \`on\`, or the id of one of ${base}'s rules and \`set\`.`];
  if (as === undefined) return null;
  const more = Object.entries({ to, run, begin, set, reply, outcome }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  return more.length > 0 ? [`it decides \`as: ${as}\`, so leave ${more.join(", ")} out.`] : [];
}

function workFaults({ starts, works }: Extensible, to: unknown): readonly string[] {
  if (to === works) return [`it leads to ${works}: expected \`run: {agent: task, prompt: …}\`.`];
  return typeof to === "string" && starts.has(to)
    ? [
        `it leads to ${to}, where Bloom's own rows start what is done there: expected \`as\`, the event of such a row.`,
      ]
    : [];
}

function runFaults(
  { works }: Extensible,
  { agent, answers, command, failed, passed, prompt, session }: NonNullable<RowOver["run"]>,
  to: unknown,
  own: boolean,
  { events = {} }: ExtendingFile,
): readonly string[] {
  if (command !== undefined || passed !== undefined || failed !== undefined)
    return ["a row of a task's life starts no command: put it into the task's `verify`."];
  if (agent === undefined || prompt === undefined) return ["`run` lacks agent or prompt."];
  if (agent === TASKS_AGENT) {
    if (answers !== undefined || session === "fresh")
      return [
        "the task's own agent goes on in its session and answers nothing: leave answers and session out.",
      ];
    return to === works ? [] : [`the task's own agent works in ${works}: expected \`to: ${works}\`.`];
  }
  const given = Object.values(answers ?? {}).flatMap((each) => (Array.isArray(each) ? each : []));
  const strangers = given.filter((event) => !Object.hasOwn(events, event));
  return [
    ...(answers === undefined ? ["`run` lacks answers."] : []),
    ...(Object.values(answers ?? {}).includes("tasks")
      ? ["its agent answers no tasks: expected text, or a list of events."]
      : []),
    ...(own ? [] : [`the agent ${agent} works in a state of this file: expected one of them in \`to\`.`]),
    ...strangers.map((event) => `its agent may answer ${event}, which is no event of this file.`),
  ];
}

function placeOf(
  entry: ExtendingFile,
  yaml: LocatedYaml,
  { agent, event, fact, row, state }: Blamed,
): string {
  if (agent !== undefined) return yaml.keyPlace(["agents", agent]);
  if (row !== undefined) return yaml.place(["rows", entry.rows.findIndex(({ id }) => id === row), "id"]);
  if (fact !== undefined) return yaml.place(["facts", fact]);
  if (state !== undefined) return yaml.keyPlace(["states", state]);
  return event === undefined ? yaml.place([]) : yaml.keyPlace(["events", event]);
}
