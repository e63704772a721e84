/**
 * Checks the keys of a definition made by a program. A schema checks a file's keys, but a program has no
 * types at run time, so a misspelt key, such as a gate, would be dropped silently.
 */
import { type Fields, isObject } from "../../../core/json.ts";
import { nearest } from "../../../core/text/nearest.ts";
import type { Problem } from "../../../core/yaml/located-yaml.ts";
import { PERMISSIONS, SESSIONS } from "../../../runtime/agent-order.ts";
import { FACT_SOURCES } from "./definition.ts";

const DEFINITION = [
  ...["table", "summary", "sources", "gates", "hints", "planFiles", "replies", "agents", "prompts"],
];
const AGENT = ["agent", "model", "permission", "session", "budget"];
const TABLE = ["name", "title", "states", "initial", "events", "facts", "starts", "rules", "goals"];
const STATE = ["description", "final", "writes", "forbids", "awaits", "next"];
const EVENT = ["description", "gate", "verdict"];
const FACT = ["description", "values", "initial"];
const RULE = ["id", "from", "on", "when", "to", "set", "outcome", "commands", "reply"];
const COMMAND = ["type", "command", "call", "passed", "failed", "agent", "prompt", "session", "answers"];
const BEGIN = ["type", "workflow", "from", "each", "task", "first", "most", "event", "done", "with"];
const WITH = [
  "repo",
  "base_branch",
  "merge_into",
  "open_pr",
  "checkpoint",
  "life",
  "agent",
  "agent_name",
  "budget",
];
const HINT = ["awaits", "next"];
const GATES = ["human", "approve", "reject"];
const AWAITS = ["nobody", "assistant", "human", "agent"];

/** Other names for these keys in a program's definition. */
const IN_FILES: Readonly<Record<string, string>> = {
  rows: "`rules`",
  plan_files: "`planFiles`",
  run: '`commands: [{ type: "run", command, passed, failed }]`',
  begin: '`commands: [{ type: "begin", workflow, from, most }]`',
  blocked: "`fillBlocked`",
};

/**
 * Finds unknown keys, and unknown values where only a few are allowed. Later checks report anything of
 * another shape.
 */
export function checkKeys(draft: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  const keys = (where: string, value: unknown, names: readonly string[]) => {
    for (const key of Object.keys(mapOf(value)))
      if (!names.includes(key)) problems.push({ place: where, message: unknownKey(key, names) });
  };
  const word = (where: string, value: unknown, names: readonly string[]) => {
    if (value === undefined || names.includes(value as string)) return;
    const message = `expected ${names.join(", ")}; found ${JSON.stringify(value)}.`;
    problems.push({ place: where, message });
  };
  const definition = mapOf(draft);
  const table = mapOf(definition.table);
  const name = String(table.name ?? "the definition");
  const each = (part: string, value: unknown, check: (where: string, entry: Fields) => void) => {
    for (const [key, entry] of Object.entries(mapOf(value))) check(`${name}, ${part} ${key}`, mapOf(entry));
  };
  keys(name, definition, DEFINITION);
  keys(`${name}, table`, table, TABLE);
  each("event", table.events, (where, event) => {
    keys(where, event, EVENT);
    word(`${where}: gate`, event.gate, ["human"]);
    word(`${where}: verdict`, event.verdict, ["approve", "reject"]);
  });
  each("state", table.states, (where, state) => {
    keys(where, state, STATE);
    word(`${where}: awaits`, state.awaits, AWAITS);
  });
  each("fact", table.facts, (where, fact) => keys(where, fact, FACT));
  each("hint", definition.hints, (where, hint) => {
    keys(where, hint, HINT);
    word(`${where}: awaits`, hint.awaits, AWAITS);
  });
  each("agent", definition.agents, (where, agent) => {
    keys(where, agent, AGENT);
    word(`${where}: permission`, agent.permission, PERMISSIONS);
    word(`${where}: session`, agent.session, SESSIONS);
  });
  for (const [event, gate] of Object.entries(mapOf(definition.gates)))
    word(`${name}, gate ${event}`, gate, GATES);
  each("source", definition.sources, (where, source) => {
    word(`${where}: type`, source.type, Object.keys(FACT_SOURCES));
    const keysOfSource = FACT_SOURCES[source.type as keyof typeof FACT_SOURCES];
    if (keysOfSource) keys(where, source, keysOfSource);
  });
  for (const rule of Array.isArray(table.rules) ? table.rules.map(mapOf) : []) {
    const where = `${name}, rule ${String(rule.id)}`;
    keys(where, rule, RULE);
    for (const command of Array.isArray(rule.commands) ? rule.commands : []) {
      const isBegin = mapOf(command).type === "begin";
      keys(where, command, isBegin ? BEGIN : COMMAND);
      if (isBegin) keys(`${where}: with`, mapOf(command).with, WITH);
    }
  }
  return problems;
}

function mapOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function unknownKey(key: string, names: readonly string[]): string {
  const other = Object.hasOwn(IN_FILES, key) ? IN_FILES[key] : undefined;
  if (other !== undefined) return `${key} is not a key: in a program it is ${other}.`;
  const near = nearest(key, names);
  return `${key} is not a key: ${near ? `did you mean ${near}?` : `expected one of ${names.join(", ")}.`}`;
}
