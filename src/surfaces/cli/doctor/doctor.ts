/** `pawl doctor`: checks each part, and reports how to fix what does not work. Changes nothing. */
import { toPawlError } from "../../../core/error.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../core/settings.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Host, MachineReport, Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { hung } from "../terminal/text-width.ts";
import { type Finding, fault, findingsOr, good, hint } from "./finding.ts";

interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export const doctor: Run = async (host) => {
  const sections = await sectionsOf(host);
  const all = sections.flatMap(({ findings }) => findings);
  const count = (state: Finding["state"]) => all.filter((each) => each.state === state).length;
  const [faults, hints] = [count("fault"), count("hint")];
  return {
    text: render(sections, faults, hints, host.terminal),
    data: { sound: faults === 0, faults, hints, sections },
    ...(faults > 0 ? { exit: 1 as const } : {}),
  };
};

async function sectionsOf(host: Host): Promise<readonly Section[]> {
  const opened = await open(host);
  if ("findings" in opened) {
    const machine = await machineOf(host, null);
    const { agents, wall } = await import("./agents.ts");
    const ready = await agents(host, null, DEFAULT_SETTINGS);
    return [
      { title: "Machine", findings: [...machine, ...(await wall(host, null, DEFAULT_SETTINGS))] },
      { title: "Agents", findings: ready },
      { title: "Project", findings: opened.findings },
    ];
  }
  const { project, settings } = opened;
  const [{ agents, wall }, { clients, guard, packages }, { state, signatures }, { workflows, tasks }] =
    await Promise.all([
      import("./agents.ts"),
      import("./clients.ts"),
      import("./project.ts"),
      import("./work.ts"),
    ]);
  const machine = await machineOf(host, project.root);
  return [
    { title: "Machine", findings: [...machine, ...(await wall(host, project, settings))] },
    { title: "Agents", findings: await agents(host, project, settings) },
    {
      title: "Project",
      findings: [...(await state(host, project)), ...(await signatures(host, project, settings))],
    },
    {
      title: "Clients and guard",
      findings: [
        ...(await clients(host, project)),
        ...(await packages(host, project)),
        ...(await guard(host, project, settings)),
      ],
    },
    {
      title: "Work",
      findings: saidOnce([...(await workflows(host, project, settings)), ...(await tasks(host, project))]),
    },
  ];
}

/** Removes duplicates: an unreadable file breaks several parts, and only the last finding has the fix. */
function saidOnce(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ found }, at) => findings.findLastIndex((each) => each.found === found) === at);
}

type Opened =
  | { readonly project: Project; readonly settings: Settings }
  /** Why there is nothing more to check. */
  | { readonly findings: readonly Finding[] };

async function open(host: Host): Promise<Opened> {
  try {
    const project = await host.projects.open();
    return { project, settings: await project.runtime.settings(project.runtime.store.view()) };
  } catch (thrown) {
    const { code, fix, message } = toPawlError(thrown);
    const what = "project";
    if (code === "project-missing")
      return { findings: [hint(what, message, { command: "pawl init", fix: "in the project's folder" })] };
    return { findings: [fault(what, message, { fix })] };
  }
}

function machineOf(host: Host, root: string | null): Promise<readonly Finding[]> {
  return findingsOr("machine", async () => {
    const { git, installed, leftOut, node } = await host.machine.inspect(root);
    const skewed = installed !== null && installed !== host.version;
    const program = `${host.version}, by ${host.machine.launch().slice(0, -1).join(" ")}`;
    return [
      good("Node", node),
      git === null
        ? fault("git", "no git starts on the PATH", { fix: "Install git: https://git-scm.com/downloads" })
        : good("git", git),
      ...(leftOut.length > 0 ? [good("PATH", leftOutWords(leftOut))] : []),
      skewed
        ? hint("Pawl", `this is ${host.version}, and the project's own package is ${installed}`, {
            command: "npx --no pawl doctor",
            fix: "asks the project's own",
          })
        : good("Pawl", program),
    ];
  });
}

function leftOutWords(leftOut: MachineReport["leftOut"]): string {
  const shown = leftOut.slice(0, MAX_SHOWN).map(({ entry, why }) => `${entry} (${why})`);
  const more = leftOut.length > MAX_SHOWN ? [`${leftOut.length - MAX_SHOWN} more`] : [];
  return `Pawl looks for programs everywhere but in ${[...shown, ...more].join(", ")}`;
}

const MAX_SHOWN = 5;

const MARKS = { good: ["✓", "green"], hint: ["!", "yellow"], fault: ["✗", "red"] } as const;

function render(
  sections: readonly Section[],
  faults: number,
  hints: number,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const shown = sections
    .filter(({ findings }) => findings.length > 0)
    .flatMap(({ findings, title }) => [
      paint.bold(title),
      ...findings.flatMap((finding) => linesOf(finding, { columns, paint })),
      "",
    ]);
  const end =
    faults > 0
      ? paint.red(`${counted(faults, "fault")}, ${counted(hints, "hint")}.`)
      : `Everything works; ${counted(hints, "hint")}.`;
  return `${shown.join("\n")}\n${end}\n`;
}

function linesOf(
  { command, fix, found, state, what }: Finding,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): readonly string[] {
  const [mark, colour] = MARKS[state];
  const words = [command === undefined ? "" : `\`${command}\``, fix ?? ""].filter((each) => each !== "");
  return [
    ...hung(`  ${paint[colour](mark)} `, `${what}: ${found}`, columns),
    ...(state === "good" ? [] : hung("    fix: ", words.join(" "), columns)),
  ];
}
