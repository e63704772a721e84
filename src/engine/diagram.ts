/** A table to look at: a Mermaid state diagram, and markdown tables. The same text for the same table. */
import { isFinal, keptNames, renderBoxes, renderFacts, renderValue } from "./lookup.ts";
import { targetOf } from "./position.ts";
import type { Row, Setting, Workflow } from "./workflow.ts";

/** Longer conditions are shown by the row's id; the markdown table has them in full. */
const MAX_CONDITION_LENGTH = 60;

/** Words that a state of a Mermaid diagram cannot be called. */
const MERMAID_WORDS =
  /^(accdescr|acctitle|as|class|classdef|click|default|direction|end|fork|hide|href|join|note|of|scale|state|statediagram|style)$/i;

/** A Mermaid `stateDiagram-v2` of the rows that move a run; what is blocked, without effect or shown is left out. */
export function renderMermaid(workflow: Workflow): string {
  const ids = mermaidIds(Object.keys(workflow.states));
  const idOf = (state: string) => ids.get(state) ?? state;
  const lines = ["stateDiagram-v2"];
  for (const [state, id] of ids) if (id !== state) lines.push(`state "${mermaidText(state)}" as ${id}`);
  lines.push(`[*] --> ${idOf(workflow.initial)}`);
  for (const { from, to, labels } of edgesOf(workflow))
    lines.push(`${idOf(from)} --> ${idOf(to)} : ${labels.map(mermaidText).join("<br/>")}`);
  for (const state of Object.keys(workflow.states))
    if (isFinal(workflow, state)) lines.push(`${idOf(state)} --> [*]`);
  return `${lines.join("\n  ")}\n`;
}

/** The states, facts and rows as markdown tables. */
export function renderTable(workflow: Workflow): string {
  const { events, facts, rows, states } = workflow;
  const kept = keptNames(workflow);
  return [
    `# ${markdownText(workflow.name)}: ${markdownText(workflow.title)}`,
    "## States",
    table(
      ["State", "", "Description"],
      Object.entries(states).map(([name, state]) => [name, roles(workflow, name), state.description]),
    ),
    "## Events",
    table(
      ["Event", "Description"],
      Object.entries(events).map(([name, event]) => [name, event.description]),
    ),
    ...(Object.keys(facts).length === 0
      ? []
      : [
          "## Facts",
          table(
            ["Fact", "Kind", "Values", "Description"],
            Object.entries(facts).map(([name, fact]) => [
              name,
              kept.includes(name) ? `kept, at first ${renderValue(fact.initial ?? null)}` : "observed",
              fact.values.map(renderValue).join(", "),
              fact.description,
            ]),
          ),
        ]),
    ...((workflow.starts?.length ?? 0) > 1
      ? [
          `A run begins with ${workflow.starts?.map((start) => markdownText(renderFacts(start))).join("; or ")}.`,
        ]
      : []),
    "## Rows",
    table(["Row", "From", "On", "When", "To", "Sets", "Outcome", "Commands", "Reply"], rows.map(tableRow)),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly labels: string[];
}

/** One edge per pair of states, with a label for each row that leads along it. */
function edgesOf(workflow: Workflow): readonly Edge[] {
  const edges = new Map<string, Edge>();
  for (const from of Object.keys(workflow.states)) {
    for (const row of workflow.rows) {
      const to = row.from.includes(from) && row.outcome === "moved" ? targetOf(row, from) : undefined;
      if (to === undefined) continue;
      const key = JSON.stringify([from, to]);
      const edge = edges.get(key) ?? { from, to, labels: [] };
      edges.set(key, edge);
      edge.labels.push(labelOf(row));
    }
  }
  return [...edges.values()];
}

function labelOf(row: Row): string {
  if (!row.when) return row.on;
  const condition = renderBoxes(row.when);
  return `${row.on} [${condition.length <= MAX_CONDITION_LENGTH ? condition : row.id}]`;
}

function mermaidIds(states: readonly string[]): ReadonlyMap<string, string> {
  const isPlain = (state: string) => /^[A-Za-z]\w*$/.test(state) && !MERMAID_WORDS.test(state);
  const used = new Set(states.filter(isPlain));
  const ids = new Map<string, string>();
  for (const state of states) {
    let id = isPlain(state) ? state : `s_${state.replace(/\W/g, "_")}`;
    while (!isPlain(state) && used.has(id)) id += "_";
    used.add(id);
    ids.set(state, id);
  }
  return ids;
}

/** Mermaid reads `#59;` as the character of that number, everywhere. */
function mermaidText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[^\w .,=|[\]()-]/g, (character) => `#${character.codePointAt(0)};`);
}

function roles(workflow: Workflow, state: string): string {
  const found = [
    state === workflow.initial ? "initial" : "",
    workflow.goals.includes(state) ? "goal" : "",
    isFinal(workflow, state) ? "final" : "",
  ];
  return found.filter((role) => role !== "").join(", ");
}

function tableRow(row: Row): readonly string[] {
  const to = typeof row.to === "string" ? row.to : mapText(row.to);
  const sets = Object.entries(row.set ?? {}).map(([name, setting]) => `${name} = ${settingText(setting)}`);
  const commands = (row.commands ?? []).map((command) => command.type);
  const when = row.when ? renderBoxes(row.when) : "";
  return [
    row.id,
    row.from.join(", "),
    row.on,
    when,
    to,
    sets.join(", "),
    row.outcome,
    commands.join(", "),
    row.reply,
  ];
}

function settingText(setting: Setting): string {
  if (typeof setting !== "object" || setting === null) return renderValue(setting);
  if ("add" in setting) return `${setting.add < 0 ? "" : "+"}${setting.add}`;
  const values = Object.entries(setting.of).map(([state, value]) => [state, renderValue(value)] as const);
  return mapText(Object.fromEntries(values));
}

function mapText(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .map(([state, text]) => `${state} → ${text}`)
    .join("; ");
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownText).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text as it is: nothing in it is markup, and it stays in its cell. */
function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (character) => `\\${character}`);
}
