/**
 * Checks the keys of a definition made by a program. A schema checks a file's keys, but a program has no
 * types at run time, so a misspelt key, such as a gate, would be dropped silently.
 */
import { type Fields, isObject } from "../../core/json.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { Problem } from "../../core/yaml/located-yaml.ts";
import { PERMISSIONS, SESSIONS } from "../../runtime/agent-order.ts";
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
  const found: Problem[] = [];
  const keys = (place: string, value: unknown, known: readonly string[]) => {
    for (const key of Object.keys(mapOf(value)))
      if (!known.includes(key)) found.push({ place, message: unknownKey(key, known) });
  };
  const word = (place: string, value: unknown, known: readonly string[]) => {
    if (value === undefined || known.includes(value as string)) return;
    const message = `expected ${known.join(", ")}; found ${JSON.stringify(value)}.`;
    found.push({ place, message });
  };
  const definition = mapOf(draft);
  const table = mapOf(definition.table);
  const name = String(table.name ?? "the definition");
  const each = (part: string, value: unknown, look: (place: string, entry: Fields) => void) => {
    for (const [key, entry] of Object.entries(mapOf(value))) look(`${name}, ${part} ${key}`, mapOf(entry));
  };
  keys(name, definition, DEFINITION);
  keys(`${name}, table`, table, TABLE);
  each("event", table.events, (place, event) => {
    keys(place, event, EVENT);
    word(`${place}: gate`, event.gate, ["human"]);
    word(`${place}: verdict`, event.verdict, ["approve", "reject"]);
  });
  each("state", table.states, (place, state) => {
    keys(place, state, STATE);
    word(`${place}: awaits`, state.awaits, AWAITS);
  });
  each("fact", table.facts, (place, fact) => keys(place, fact, FACT));
  each("hint", definition.hints, (place, hint) => {
    keys(place, hint, HINT);
    word(`${place}: awaits`, hint.awaits, AWAITS);
  });
  each("agent", definition.agents, (place, agent) => {
    keys(place, agent, AGENT);
    word(`${place}: permission`, agent.permission, PERMISSIONS);
    word(`${place}: session`, agent.session, SESSIONS);
  });
  for (const [event, gate] of Object.entries(mapOf(definition.gates)))
    word(`${name}, gate ${event}`, gate, GATES);
  each("source", definition.sources, (place, source) => {
    word(`${place}: type`, source.type, Object.keys(FACT_SOURCES));
    const own = FACT_SOURCES[source.type as keyof typeof FACT_SOURCES];
    if (own) keys(place, source, own);
  });
  for (const rule of Array.isArray(table.rules) ? table.rules.map(mapOf) : []) {
    const place = `${name}, rule ${String(rule.id)}`;
    keys(place, rule, RULE);
    for (const command of Array.isArray(rule.commands) ? rule.commands : []) {
      const isBegin = mapOf(command).type === "begin";
      keys(place, command, isBegin ? BEGIN : COMMAND);
      if (isBegin) keys(`${place}: with`, mapOf(command).with, WITH);
    }
  }
  return found;
}

function mapOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function unknownKey(key: string, known: readonly string[]): string {
  const other = Object.hasOwn(IN_FILES, key) ? IN_FILES[key] : undefined;
  if (other !== undefined) return `${key} is not a key: in a program it is ${other}.`;
  const near = nearest(key, known);
  return `${key} is not a key: ${near ? `did you mean ${near}?` : `expected one of ${known.join(", ")}.`}`;
}
