/** A real agent in the demo: what it needs, and whether it is there and answers. */
import { AGENT_NEEDS } from "../src/core/agent-needs.ts";
import { type DemoAgent, SCRIPTED } from "./options.ts";
import { print, type Stage } from "./stage.ts";

/** The project's settings for this agent. */
export function settingsOf({ name, acp, environment }: DemoAgent): string {
  const bloom = ["bloom:", `  agent: ${name}`, ...(name === SCRIPTED ? [] : ["  budget: { minutes: 10 }"])];
  if (acp === null) return `${bloom.join("\n")}\n`;
  const [command, ...args] = acp;
  const agent = { acp: { command, args }, environment };
  return `${bloom.join("\n")}\nagents:\n  ${name}: ${JSON.stringify(agent)}\n`;
}

/** Says what the agent will do and may do, and tries it out; false: it cannot be used, and it was said why. */
export async function tryAgent(stage: Stage, agent: DemoAgent): Promise<boolean> {
  if (agent.name === SCRIPTED) return true;
  const needs = Object.entries(AGENT_NEEDS).find(([name]) => name === agent.name)?.[1];
  const shown = agent.acp?.join(" ") ?? agent.name;
  print(`
The work in chapter 3 is done by a real agent: ${shown}.
Its model has three small things to do, which cost what such things cost you
there. It works in a repository of each task's own: it may edit there, commit,
and call bloom, and is allowed nothing else. First it is asked two short
questions, to see that it is there and answers.`);
  const tried = await stage.pawl("agents", "test", agent.name);
  await stage.tell("pawl", `pawl agents test ${agent.name}`, tried.output);
  if (tried.code === 0) return true;
  print(`
The demo has not begun: it needs ${shown} to work.`);
  if (needs) print(`  installed:   ${needs.install}\n  with access: ${needs.access}`);
  else
    print(
      "  installed:   the command of --acp, on your PATH or by its path\n  with access: what it needs of your environment, by --environment",
    );
  print("`pawl agents` shows what is found. Without --agent the demo needs nothing.");
  return false;
}
