import { toPawlError } from "../../../core/error.ts";
import type { AgentFound, Agents, AgentTried, Permission, WallFound } from "../../../core/ports/agents.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../core/settings.ts";
import { shellWord } from "../../../core/text/shell-word.ts";
import type { Project } from "../../../runtime/project.ts";
import { allowedCommands } from "../../../workflows/bloom/allowed.ts";
import { ENDING_SIGNALS } from "../../ending-signals.ts";
import type { Host, Run } from "../line/command.ts";
import { clean, type Paint, type Terminal } from "../terminal/terminal.ts";
import { hung, wrap } from "../terminal/text-width.ts";

/**
 * Which agents are installed, in which version, whether they start, and how Pawl would call them under each
 * permission.
 */
export const agents: Run = async (host) => {
  const { programs, root, settings } = await openAgents(host);
  const [agents, wall] = await Promise.all([
    programs.survey(allowedCommands(settings.bloom.command)),
    host.machine.wall(root, settings),
  ]);
  const text = `${renderAgents(agents, host.terminal)}${renderWall(wall, host.terminal)}`;
  return { text, data: { agents, wall }, ...(isOpen(wall) ? { exit: 1 as const } : {}) };
};

/** Whether a wall exists but does not hold everywhere. */
export function isOpen(wall: WallFound): boolean {
  return wall.kind !== "none" && wall.tried.some(({ held }) => !held);
}

/** One real round trip with an agent. A signal stops the agent first. */
export const testAgent: Run = async (host, call) => {
  const stop = new AbortController();
  let isInterrupted = false;
  for (const signal of ENDING_SIGNALS)
    process.once(signal, () => {
      isInterrupted = signal === "SIGINT";
      stop.abort();
    });
  const name = call.arguments.name as string;
  const { programs, trust } = await openAgents(host);
  await trust?.checkAgent(name);
  const tried = await programs.tryOut(name, stop.signal);
  return {
    text: renderTried(tried, host.terminal),
    data: tried,
    ...(tried.works ? {} : { exit: isInterrupted ? (130 as const) : (1 as const) }),
  };
};

/** The agents in the project's settings; outside a project, those that need no settings. */
export async function openAgents(host: Host): Promise<{
  programs: Agents;
  root: string | null;
  settings: Settings;
  trust: Project["trust"] | null;
}> {
  const project = await openedProject(host);
  if (project === null) {
    const programs = await host.machine.agents(null, DEFAULT_SETTINGS);
    return { programs, root: null, settings: DEFAULT_SETTINGS, trust: null };
  }
  const { root, runtime, trust } = project;
  const settings = await runtime.settings(runtime.store.view());
  const { untrusted } = await trust.status();
  const names = untrusted.flatMap(({ kind, name }) => (kind === "agent" ? [name] : []));
  return { programs: await host.machine.agents(root, settings, names), root, settings, trust };
}

async function openedProject(host: Host): Promise<Project | null> {
  try {
    return await host.projects.open();
  } catch (thrown) {
    if (toPawlError(thrown).code !== "project-missing") throw thrown;
    return null;
  }
}

type Screen = Pick<Terminal, "columns" | "paint">;

const PERMISSIONS: readonly Permission[] = ["ask", "edits", "all"];

export function renderAgents(agents: readonly AgentFound[], screen: Screen): string {
  const blocks = agents.map((agent) => renderAgent(agent, screen));
  const ready = agents.filter(({ status }) => status === "ready").length;
  const closing = `Ready: ${ready} of ${agents.length}. \`pawl config agents test NAME\` tries one out with its model.`;
  return `${blocks.join("\n")}\n${wrap(closing, screen.columns).join("\n")}\n`;
}

/** The wall around every agent. */
function renderWall(wall: WallFound, { columns, paint }: Screen): string {
  if (wall.kind === "none") {
    const why = `No wall is around agents and commands: ${wall.why}. They can read and write what you can.`;
    return `${wrap(why, columns).join("\n")}\n`;
  }
  const names = (held: boolean) =>
    wall.tried.flatMap((each) => (each.held === held ? [each.what] : [])).join(", ");
  const closed = `A wall (${wall.kind}) is around agents and commands. Tried from inside, and not possible: ${names(true)}.`;
  const open = isOpen(wall)
    ? wrap(`It lets through: ${names(false)}.`, columns).map((line) => paint.red(line))
    : [];
  const fault = wall.fault === undefined ? [] : wrap(wall.fault, columns).map((line) => paint.yellow(line));
  return `${[...wrap(closed, columns), ...open, ...fault].join("\n")}\n`;
}

function renderAgent(agent: AgentFound, { columns, paint }: Screen): string {
  const words = { ready: "starts", stranger: "is another program", broken: "does not start" };
  const status = {
    ...words,
    missing: "not installed",
    untrusted: "is not trusted",
    untried: "not tried",
    invalid: "not configured",
  };
  const version = agent.version ? ` ${agent.version}` : "";
  const kind = agent.dialect === agent.name ? "" : `  ${paint.dim(agent.dialect)}`;
  const heading = `${paint.bold(clean(agent.name))}${clean(version)}${kind}  ${colourOf(agent, paint)(status[agent.status])}`;
  const shown = ["ready", "untried", "untrusted"].includes(agent.status);
  return [
    heading,
    ...(agent.program === null ? [] : [`  ${clean(agent.program)}`]),
    ...hung("  ", agent.recognised, columns),
    ...(shown ? callsOf(agent, columns) : []),
    "",
  ].join("\n");
}

function colourOf({ status }: AgentFound, paint: Paint) {
  if (status === "ready") return paint.green;
  return status === "missing" || status === "untried" ? paint.dim : paint.red;
}

const CALLED = "  edits  ".length;

/** Permissions with identical calls share their lines. */
function callsOf({ calls }: AgentFound, columns: number): string[] {
  const ways = PERMISSIONS.map((permission) => ({
    permission,
    call: calls[permission].map(quoted).join(" "),
  }));
  const [first] = ways;
  const shown =
    first && ways.every(({ call }) => call === first.call) ? [{ ...first, permission: "any" }] : ways;
  return shown.flatMap(({ permission, call }) =>
    hung(`  ${permission}`.padEnd(CALLED), call, columns, { hard: true }),
  );
}

/** For display: quotes the word only if a shell needs that. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word);
}

export function renderTried({ name, noWall, works, steps }: AgentTried, { columns, paint }: Screen): string {
  const lines = steps.flatMap(({ what, ok, detail }) => [
    `${ok ? paint.green("✓") : paint.red("✗")} ${clean(what)}`,
    ...hung("    ", detail, columns, { hard: true }),
  ]);
  const end = works ? `${name} works.` : `${name} does not work; docs/agents.md explains how a run can end.`;
  const open = noWall === undefined ? [] : wrap(`There was no wall around it: ${noWall}.`, columns);
  return `${[...lines, ...open, ...wrap(end, columns)].join("\n")}\n`;
}
