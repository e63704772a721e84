import { shownJson } from "../../core/text/clean.ts";
import type { BoardOrder, Call, Host, Run } from "./line/command.ts";
import { endedBy } from "./line/interrupted.ts";
import { portNumber } from "./line/whole-number.ts";
import { clean } from "./terminal/terminal.ts";

/** Serves the board until a signal ends it. An agent's board is read-only and unlisted. */
export const board: Run = async (host, call) => {
  const { devices, open, readOnly: wanted, revoke } = call.options as BoardOptions;
  if (devices) return (await import("./board-listen.ts")).listDevices(host);
  if (revoke !== undefined) return (await import("./board-listen.ts")).revokeDevice(host, revoke);
  const listen = await listenIn(host, call);
  const byAgent = host.person.agent() !== null;
  const readOnly = wanted === true || byAgent;
  let typing: ReturnType<Host["person"]["terminal"]["onLine"]> = null;
  const serving = host.servers.board({
    folders: call.projects ?? [],
    port: portNumber(call.options.port ?? 0),
    readOnly,
    open: open !== false && !byAgent && host.terminal.isScreen,
    unlisted: byAgent,
    listen,
    onSeen: (words) => host.terminal.err(`${clean(words)}\n`),
    onOpen: (served) => {
      printAddress(host, served, { readOnly, byAgent });
      if (served.devices) typing = inviteDevices(host, served.devices);
    },
  });
  // An open terminal would keep the program from ending.
  return endedBy(await serving.finally(() => typing?.close()));
};

interface BoardOptions {
  readonly readOnly?: true;
  readonly open?: boolean;
  readonly devices?: true;
  readonly revoke?: string;
}

const LISTENING = ["listen", "origin", "cert", "key"];

/** Null: the board serves this machine alone. */
async function listenIn(host: Host, call: Call): Promise<BoardOrder["listen"]> {
  if (LISTENING.every((name) => call.options[name] === undefined)) return null;
  return (await import("./board-listen.ts")).listenIn(host, call);
}

/** Shows what lets a device in, and another each time that the person presses Enter. */
function inviteDevices(host: Host, { invite }: NonNullable<OpenedBoard["devices"]>) {
  const show = async () => (await import("./board-listen.ts")).showInvitation(host, invite());
  void show();
  return host.person.terminal.onLine(() => void show());
}

type OpenedBoard = Parameters<BoardOrder["onOpen"]>[0];

/**
 * Prints to standard output, because the address is the command's answer. Under --json, one line for a
 * program.
 */
function printAddress(
  { terminal, json }: Host,
  { address, devices, opened, roots, url }: OpenedBoard,
  { readOnly, byAgent }: { readonly readOnly: boolean; readonly byAgent: boolean },
): void {
  if (json) {
    const listens = devices && { listens: devices.origin };
    terminal.out(`${shownJson({ url, address, projects: roots, readOnly, ...listens })}\n`);
    return;
  }
  const what = roots.length === 1 ? clean(roots[0] ?? "") : `${roots.length} projects`;
  const only = byAgent ? "An agent started this board, so nothing can be decided on it.\n" : "";
  const beyond = devices ? `Your other devices reach it at ${devices.origin}, once you let them in.\n` : "";
  terminal.out(
    `The board of ${what}:\n\n  ${address}\n\n` +
      `${opened ? "Your browser opens it. " : ""}The address opens one browser, once, within five minutes; keep it to yourself.\n` +
      `${beyond}${only}Press Ctrl-C to stop.\n`,
  );
}
