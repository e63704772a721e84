/**
 * A file that extends Bloom's table: the life of a task as a team wants it. Its rows take their cases from Bloom's rules; in
 * each of its own states one of its own agents works.
 *
 * L1  What Bloom's table promises holds in every table that extends it (`PROMISES`); else it moves no task.
 * L2  Only an event of the file's own is an answer of its agents: none of Bloom's.
 * L3  A row starts an agent, or none: commands belong to `verify`.
 */
import type { LocatedYaml, Problem } from "../../../core/yaml/located-yaml.ts";
import { type Extensible, extend, type OwnRow } from "../../../engine/extend.ts";
import { checkPromises } from "../../../engine/promises.ts";
import type { Violation } from "../../../engine/violation.ts";
import { GIT_ACTS, type State, type Workflow } from "../../../engine/workflow.ts";
import { checkAgents, commandFaults } from "./check-definition.ts";
import { agentCommandOf, type Definition } from "./definition.ts";
import { eventsOf, factOf, isChange, mapped, openStates, rowOver, runFaults } from "./file-entries.ts";
import { type Fault, type Files, problemsIn, structureProblems } from "./problem.ts";
import type { ExtendingFile, RowOver, RunEntry } from "./schema.ts";

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
  const files: Files = [{ entry, yaml }];
  const states = mapped(
    entry.states ?? {},
    ({ description, forbids, writes }): State => ({
      ...{ description, writes: writes ?? "none", forbids: forbids ?? GIT_ACTS },
    }),
  );
  const base = over.with(states);
  const extended = extend(base, {
    events: eventsOf(entry.events ?? {}),
    facts: mapped(entry.facts ?? {}, (fact) => factOf(fact)),
    rows: entry.rows.map((row) => rowOf(row, base)),
  });
  const filled = over.notNow(extended.table.rules, Object.keys(extended.table.events), states);
  const table: Workflow = {
    ...extended.table,
    name,
    title: entry.title,
    rules: [...extended.table.rules, ...filled],
  };
  const definition: ParsedExtension["definition"] = {
    // Between two events of a person, a run must reach its end on its own.
    ...{
      table,
      sources: {},
      extends: over,
      gates: Object.fromEntries(over.persons.map((on) => [on, "human"])),
    },
    ...(entry.agents ? { agents: entry.agents as Definition["agents"] & object } : {}),
    ...(entry.summary === undefined ? {} : { summary: entry.summary }),
  };
  const problems = [
    ...entryFaults(over, entry, base),
    ...extended.faults,
    ...table.rules.flatMap((rule) => {
      const order = agentCommandOf(rule);
      return order ? commandFaults(definition, rule, order) : [];
    }),
    ...checkAgents(definition),
  ];
  const structure = problems.length > 0 ? [] : structureProblems(files, table);
  return { definition, problems: [...problemsIn(files, problems), ...structure] };
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

function rowOf(row: RowOver, base: Workflow): OwnRow {
  const { reply, to } = row;
  const usual = to === "blocked" ? "blocked" : to === "waiting_for_human" ? "waits" : "went_on";
  const newRow = rowOver({ ...row, reply: reply ?? usual }, base, openStates(base));
  if (!("commands" in newRow)) return newRow;
  const commands = newRow.commands?.map((command) =>
    command.agent === TASKS_AGENT ? { type: "run-agent", purpose: "order", prompt: command.prompt } : command,
  );
  return { ...newRow, ...(commands && { commands }) };
}

// ── What the schema cannot say ────────────────────────────────────────────────────────────────────────────

function entryFaults(over: Extensible, entry: ExtendingFile, base: Workflow): readonly Fault[] {
  const { agents = {}, events = {}, facts = {}, rows, states = {} } = entry;
  const targets = new Map(
    rows.flatMap(({ run, to }) => (typeof to === "string" ? [[to, run?.agent] as const] : [])),
  );
  return [
    ...takenFaults("Bloom", entry, over.table),
    ...Object.entries(states).flatMap(([state, { awaits, final, next }]) => [
      ...(final || awaits || next
        ? [
            {
              state,
              message: `state ${state}: one of its agents works there, so leave final, awaits and next out.`,
            },
          ]
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

/** What the file that extends another table may not call as that one does. */
export function takenFaults(
  base: string,
  file: Pick<ExtendingFile, Named>,
  others: { readonly [Kind in Named]?: object | undefined },
): readonly Fault[] {
  return NAMED.flatMap(([kinds, kind]) =>
    Object.keys(file[kinds] ?? {})
      .filter((name) => Object.hasOwn(others[kinds] ?? {}, name))
      .map((name) => ({
        [kind]: name,
        message: `${kind} ${name}: ${base} has one of that name. Expected another name.`,
      })),
  );
}

const NAMED = [
  ["states", "state"],
  ["events", "event"],
  ["facts", "fact"],
] as const;
type Named = (typeof NAMED)[number][0];

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
  const isOwnState = typeof to === "string" && states.includes(to);
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
    ...(isOwnState && (run?.agent === undefined || run.agent === TASKS_AGENT)
      ? [
          `it leads to ${to}, where one of this file's agents works: expected \`run: {agent, prompt, answers}\`.`,
        ]
      : []),
    ...(run === undefined ? workFaults(over, to) : orderFaults(over, run, to, isOwnState, entry)),
    ...(row.begin === undefined ? [] : ["a row of a task's life begins no runs."]),
    ...(id.includes(".") ? ["its id has a dot, as Bloom's own have: expected another."] : []),
  ];
}

/** The fault of a row that does not lead on without a person, or lacks a required key; null: none. */
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

function orderFaults(
  { works }: Extensible,
  run: RunEntry,
  to: unknown,
  isOwnState: boolean,
  { events = {} }: ExtendingFile,
): readonly string[] {
  const { agent, answers, command, failed, passed, prompt, session } = run;
  if (command !== undefined || passed !== undefined || failed !== undefined)
    return ["a row of a task's life starts no command: put it into the task's `verify`."];
  if (agent === TASKS_AGENT) {
    if (prompt === undefined) return ["`run` lacks prompt."];
    if (answers !== undefined || session === "fresh")
      return [
        "the task's own agent goes on in its session and answers nothing: leave answers and session out.",
      ];
    return to === works ? [] : [`the task's own agent works in ${works}: expected \`to: ${works}\`.`];
  }
  const shape = runFaults(run);
  if (shape.length > 0) return shape;
  const given = Object.values(answers ?? {}).flatMap((each) => (Array.isArray(each) ? each : []));
  const strangers = given.filter((event) => !Object.hasOwn(events, event));
  return [
    ...(Object.values(answers ?? {}).includes("tasks")
      ? ["its agent answers no tasks: expected text, or a list of events."]
      : []),
    ...(isOwnState
      ? []
      : [`the agent ${agent} works in a state of this file: expected one of them in \`to\`.`]),
    ...strangers.map((event) => `its agent may answer ${event}, which is no event of this file.`),
  ];
}
