/**
 * `pawl watch`: one screen for everything that waits, works or rests. A key runs the command that a person
 * would type: the screen closes for it and reopens afterwards.
 */
import { basename } from "node:path";
import { PawlError } from "../../../core/error.ts";
import type { Host, Run } from "../line/command.ts";
import { INTERRUPTED } from "../line/interrupted.ts";
import { clean } from "../terminal/terminal.ts";
import { ASKED, wordsOf } from "./rows.ts";
import { showScreen, type Wanted } from "./screen.ts";
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
  try {
    await source.load();
    for (let key: string | null = null; ; ) {
      const wanted: Wanted = await showScreen(source, clean(basename(project.root)), key);
      if (wanted.isInterrupted) return INTERRUPTED;
      if (wanted.act === null || wanted.row === null) return undefined;
      key = wanted.row.key;
      process.stdin.pause();
      await perform(host, wanted);
      await source.load();
    }
  } finally {
    source.close();
  }
};

async function perform(host: Host, { act, row }: Wanted): Promise<void> {
  const terminal = host.person.terminal.open();
  if (act === null || row === null || terminal === null) return;
  const asked = ASKED[act];
  const said = asked === null ? "" : ask(terminal, asked);
  terminal.close();
  // An empty line cancels an answer or a message, because these need a text; a rejection may be without one.
  if (said !== null && (said !== "" || asked === null || act === "reject"))
    await host.dispatch?.(wordsOf(act, row, said));
  const back = host.person.terminal.open();
  back?.write("\nEnter: back to the list. ");
  back?.readLine();
  back?.close();
}

type Conversation = NonNullable<ReturnType<Host["person"]["terminal"]["open"]>>;

/** Null: the end of input. */
function ask(terminal: Conversation, question: string): string | null {
  terminal.write(question);
  return terminal.readLine()?.trim() ?? null;
}
