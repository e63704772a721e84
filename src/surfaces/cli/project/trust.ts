import { renderExecutables } from "../../../core/trust.ts";
import type { Project, TrustStatus } from "../../../runtime/project.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { agrees, confirm, refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

/**
 * Shows which programs the project's files would start, and records that a person agrees to exactly those.
 */
export const trust: Run = async (host, call) => {
  const project = await host.projects.open();
  const { show, revoke, yes } = call.options;
  if (revoke === true) return revoked(project);
  const state = await project.trust.status();
  if (show === true || state.untrusted.length === 0) return shown(state, project);
  const text = described(state, project);
  // A person's own script may agree without a question.
  if (yes === true) refuseAgent(host, "allow this", "pawl trust");
  else confirm(host, { message: `${text}\n\nMay Pawl start these?`, command: "pawl trust" });
  // Records what the person was shown: if the files were edited meanwhile, Pawl asks again.
  await project.trust.accept(state.entries, host.person.caller().who ?? "");
  const shownText = yes === true ? `${text}\n\n` : "";
  return {
    text: `${shownText}Trusted: Pawl may start what these files name, on this machine. \`pawl trust --revoke\` withdraws that.\n`,
    data: { ...dataOf(state, project), trusted: true },
  };
};

/**
 * When the loop begins, asks a person at a terminal about new programs. Without their agreement, what needs
 * these programs waits.
 */
export async function agreeToNew(project: Project, host: Host): Promise<void> {
  if (!(host.terminal.isScreen && host.person.agent() === null)) return;
  const state = await project.trust.status();
  if (state.untrusted.length === 0) return;
  const news = described({ ...state, entries: state.untrusted }, project);
  const message = state.record === null ? news : `New since you agreed:\n\n${news}`;
  if (!agrees(host, { message: `${message}\n\nMay Pawl start these?`, command: "pawl trust" })) return;
  await project.trust.accept(state.entries, host.person.caller().who ?? "");
}

async function revoked({ root, trust }: Project): Promise<Answer> {
  const was = await trust.revoke();
  return {
    text: was ? "Revoked: Pawl starts nothing that this project names.\n" : "This project was not trusted.\n",
    data: { project: root, revoked: was },
  };
}

function shown(state: TrustStatus, project: Project): Answer {
  const { record, untrusted } = state;
  if (state.entries.length === 0)
    return { text: "The project's files name nothing to start.\n", data: dataOf(state, project) };
  const head =
    untrusted.length === 0
      ? `Trusted${record ? ` since ${record.time}, by ${record.by}` : ""}:`
      : "Not trusted yet: Pawl does not start the entries marked with +.";
  const text = clean(`${head}\n\n${renderExecutables(state.entries, record)}`);
  return { text: `${text}\n`, data: dataOf(state, project) };
}

function dataOf({ entries, record, untrusted }: TrustStatus, { root }: Project) {
  const trusted = untrusted.length === 0;
  return { project: root, trusted, since: record?.time ?? null, by: record?.by ?? null, entries, untrusted };
}

function described({ entries, record }: TrustStatus, project: Project): string {
  const lines = [
    `The files of ${project.root} would start these on your machine, with your permissions:`,
    "",
    renderExecutables(entries, record),
    "",
    "⏎ is a line break. Pawl cannot show what these programs and scripts do, nor what a model does with a task: read them, too.",
  ];
  return clean(lines.join("\n"));
}
