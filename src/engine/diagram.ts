/**
 * A table in readable form: a Mermaid state diagram, and markdown tables. The same text for the same table.
 */

import { targetOf } from "./configuration.ts";
import { isFinal, renderBoxes, renderFacts, renderValue, variableNames } from "./lookup.ts";
import { hasScopes } from "./scope.ts";
import type { Rule, Setting, State, Workflow } from "./workflow.ts";

/** Longer conditions appear as the rule's id; the markdown table has them in full. */
const MAX_CONDITION_LENGTH = 60;

/** Mermaid's reserved words, which no state may be called. */
const MERMAID_WORDS =
  /^(accdescr|acctitle|as|class|classdef|click|default|direction|end|fork|hide|href|join|note|of|scale|state|statediagram|style)$/i;

/**
 * A Mermaid `stateDiagram-v2` of the rules that move a run, without rules whose outcome is blocked, no-effect
 * or shown.
 */
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

/** The states, facts and rules as markdown tables. */
export function renderTable(workflow: Workflow): string {
  const { events, facts, rules, states } = workflow;
  const variables = variableNames(workflow);
  const scoped = hasScopes(workflow);
  return [
    `# ${markdownText(workflow.name)}: ${markdownText(workflow.title)}`,
    "## States",
    table(
      ["State", "", ...(scoped ? ["May be written"] : []), "Description"],
      Object.entries(states).map(([name, state]) => [
        name,
        roles(workflow, name),
        ...(scoped ? [scopeText(state)] : []),
        state.description,
      ]),
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
              variables.includes(name) ? `variable, at first ${renderValue(fact.initial ?? null)}` : "input",
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
    "## Rules",
    table(["Rule", "From", "On", "When", "To", "Sets", "Outcome", "Commands", "Reply"], rules.map(tableLine)),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly labels: string[];
}

/** One edge per pair of states, with a label for each of its rules. */
export function edgesOf(workflow: Workflow): readonly Edge[] {
  const edges = new Map<string, Edge>();
  for (const from of Object.keys(workflow.states)) {
    for (const rule of workflow.rules) {
      const to = rule.from.includes(from) && rule.outcome === "moved" ? targetOf(rule, from) : undefined;
      if (to === undefined) continue;
      const key = JSON.stringify([from, to]);
      const edge = edges.get(key) ?? { from, to, labels: [] };
      edges.set(key, edge);
      edge.labels.push(labelOf(rule));
    }
  }
  return [...edges.values()];
}

/** `event [condition] / agent`, as in UML; or `/ begin bloom`. */
function labelOf(rule: Rule): string {
  const actions = (rule.commands ?? []).flatMap(({ agent, type, workflow: begun }) => {
    if (typeof agent === "string") return [agent];
    return type === "begin" ? [`begin ${begun}`] : [];
  });
  const action = actions.length > 0 ? ` / ${actions.join(", ")}` : "";
  if (!rule.when) return `${rule.on}${action}`;
  const condition = renderBoxes(rule.when);
  return `${rule.on} [${condition.length <= MAX_CONDITION_LENGTH ? condition : rule.id}]${action}`;
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
    .replace(/[^\w .,=|/[\]()-]/g, (character) => `#${character.codePointAt(0)};`);
}

function roles(workflow: Workflow, state: string): string {
  const lines = [
    state === workflow.initial ? "initial" : "",
    workflow.goals.includes(state) ? "goal" : "",
    isFinal(workflow, state) ? "final" : "",
  ];
  return lines.filter((role) => role !== "").join(", ");
}

function scopeText({ forbids = [], writes }: State): string {
  const without = forbids.length === 0 ? "" : `, no ${forbids.join(" or ")}`;
  return writes === undefined ? "" : `${writes}${without}`;
}

function tableLine(rule: Rule): readonly string[] {
  const to = typeof rule.to === "string" ? rule.to : mapText(rule.to);
  const sets = Object.entries(rule.set ?? {}).map(([name, setting]) => `${name} = ${settingText(setting)}`);
  const commands = (rule.commands ?? []).map(({ agent, type }) =>
    typeof agent === "string" ? `${type} ${agent}` : type,
  );
  const when = rule.when ? renderBoxes(rule.when) : "";
  return [
    rule.id,
    rule.from.join(", "),
    rule.on,
    when,
    to,
    sets.join(", "),
    rule.outcome,
    commands.join(", "),
    rule.reply,
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

function table(headings: readonly string[], rules: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownText).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rules.map(line)].join("\n");
}

/** Escapes a text, so that nothing in it is markup, and it stays in its cell. */
function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (character) => `\\${character}`);
}
