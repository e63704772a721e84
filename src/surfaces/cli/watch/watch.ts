/**
 * `pawl watch`: a list of what waits, works or rests, and a detail. Keys do what the board's buttons do; for
 * a verdict the screen closes, runs the command that a person would type, and reopens.
 */
import { basename } from "node:path";
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { TaskAct } from "../../../runtime/board.ts";
import { loadWorkflow, type Project } from "../../../runtime/project.ts";
import type { Host, Run } from "../line/command.ts";
import { INTERRUPTED } from "../line/interrupted.ts";
import { runAsking } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { type Row, wordsOf } from "./rows.ts";
import { AT_FIRST, showScreen, type Wanted } from "./screen.ts";
import { openSource } from "./source.ts";

export const watch: Run = async (host) => {
  if (!host.terminal.isScreen || !process.stdin.isTTY)
    throw new PawlError(
      "terminal-missing",
      "`pawl watch` needs a terminal: its input or its output goes elsewhere.",
      "Run it in a terminal; `pawl status` and `pawl log --follow` print into pipes.",
    );
  const project = await host.projects.open();
  const source = await openSource(project, await host.projects.lastWords(project.root));
  const title = clean(basename(project.root));
  try {
    await source.load();
    for (let kept = AT_FIRST; ; ) {
      const wanted: Wanted = await showScreen(source, { title, kept, paint: host.terminal.paint });
      if (wanted.isInterrupted) return INTERRUPTED;
      if (wanted.act === null || wanted.row === null) return undefined;
      process.stdin.pause();
      kept = { ...wanted.kept, said: await perform(host, project, wanted) };
      await source.load();
    }
  } finally {
    source.close();
  }
};

/** Returns the message for the screen; empty if it was shown outside of it. */
async function perform(host: Host, project: Project, { act, row, words }: Wanted): Promise<string> {
  if (act === null || row === null) return "";
  if (act !== "approve" && act !== "reject" && act !== "look" && act !== "log")
    return order(host, project, act, row, words);
  await host.dispatch?.(wordsOf(act, row, words));
  const back = host.person.terminal.open();
  back?.write("\nEnter: back to the list. ");
  back?.readLine();
  back?.close();
  return "";
}

/** Runs the board's transaction. Asks here if it needs a person's agreement. */
async function order(host: Host, project: Project, act: TaskAct, row: Row, words: string): Promise<string> {
  const [workflow = "", ...rest] = row.run.split(":");
  try {
    const { again, board: load } = await loadWorkflow(project.workflows, workflow);
    if (row.order && again) {
      const input = { id: rest.join(":"), words, isAnswer: act === "answer" };
      return (await runAsking(host, project.runtime, await again(), input)).reply.text;
    }
    const board = await load?.();
    if (!board) return "";
    const id = act === "answer" ? (row.question ?? "") : rest.join(":");
    const { reply } = await runAsking(host, project.runtime, await board.acts[act](), { id, words });
    const isAgain = act === "retry" || act === "hint";
    if (isAgain && !reply.refused && host.person.caller().channel !== "agent")
      await (await import("../project/policy.ts")).renew(project, row.run);
    return reply.text;
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return `${message} ${fix}`;
  }
}
