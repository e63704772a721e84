/** Explains why an agent cannot be started, and how to fix that. */
import { AGENT_NEEDS, agentNames } from "../../core/agent-needs.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { ProcessEnd } from "./run-process.ts";
import { type AgentsSetup, type KnownAgent, knownAgent, programOf } from "./setup.ts";

const OTHERWISE =
  "`pawl config agents` shows which agents are installed; `agent:` selects another one (`agent: scripted` needs no model).";

/** Null: its program is there. */
export function missing(setup: AgentsSetup, name: string): string | null {
  const agent = knownAgent(setup, name);
  if (agent.kind !== "none") return programMissing(setup, name, agent);
  const near = nearest(name, agentNames(setup.agents));
  return `${agent.why}.${near === null ? "" : ` Did you mean ${near}?`} ${OTHERWISE}`;
}

function programMissing(
  setup: AgentsSetup,
  name: string,
  agent: Exclude<KnownAgent, { kind: "none" }>,
): string | null {
  const { why } = programOf(setup, agent);
  if (why === null) return null;
  const needs = agent.kind === "acp" || agent.settings.program ? null : AGENT_NEEDS[agent.dialect.name];
  const key = agent.kind === "acp" ? "acp.command" : "program";
  const fix = needs
    ? `Install it with \`${needs.install}\`, and ${needs.access}.`
    : `Install it, or correct \`${key}\` of ${name} in pawl.yaml.`;
  return `${name} is not installed: ${why}. ${fix} ${OTHERWISE}`;
}

/** Explains the end of a program that could not be started. */
export function explained(setup: AgentsSetup, name: string, end: ProcessEnd): ProcessEnd {
  const why = end.ending === "not-started" ? missing(setup, name) : null;
  return why === null ? end : { ...end, why };
}
