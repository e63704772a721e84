import { PawlError } from "../../core/error.ts";
import { shownJson } from "../../core/text/clean.ts";
import type { BoardOrder, Call, Host, Run } from "./line/command.ts";
import { endedBy } from "./line/interrupted.ts";
import { clean } from "./terminal/terminal.ts";

/** Serves the board until a signal ends it. An agent's board is read-only and unlisted. */
export const board: Run = async (host, call) => {
  const byAgent = host.person.agent() !== null;
  const { readOnly: wanted, open } = call.options as { readonly readOnly?: true; readonly open?: boolean };
  const readOnly = wanted === true || byAgent;
  const signal = await host.servers.board({
    folders: call.projects ?? [],
    port: portOf(call),
    readOnly,
    open: open !== false && !byAgent && host.terminal.isScreen,
    unlisted: byAgent,
    onOpen: (served) => printAddress(host, served, { readOnly, byAgent }),
  });
  return endedBy(signal);
};

function portOf({ options: { port } }: Call): number {
  if (port === undefined) return 0;
  if (typeof port === "string" && /^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  throw new PawlError(
    "usage",
    `--port is ${JSON.stringify(port)}: expected a number from 0 to 65535.`,
    "Name a free port, or 0 for any.",
  );
}

type OpenedBoard = Parameters<BoardOrder["onOpen"]>[0];

/**
 * Prints to standard output, because the address is the command's answer. Under --json, one line for a
 * program.
 */
function printAddress(
  { terminal, json }: Host,
  { address, opened, roots, url }: OpenedBoard,
  { readOnly, byAgent }: { readonly readOnly: boolean; readonly byAgent: boolean },
): void {
  if (json) {
    terminal.out(`${shownJson({ url, address, projects: roots, readOnly })}\n`);
    return;
  }
  const what = roots.length === 1 ? clean(roots[0] ?? "") : `${roots.length} projects`;
  const only = byAgent ? "An agent started this board, so nothing can be decided on it.\n" : "";
  terminal.out(
    `The board of ${what}:\n\n  ${address}\n\n` +
      `${opened ? "Your browser opens it. " : ""}The address opens one browser, once, within five minutes; keep it to yourself.\n` +
      `${only}Press Ctrl-C to stop.\n`,
  );
}
