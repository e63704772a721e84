/**
 * Wires the board: its projects, its page's files, access control, and the file that publishes its address.
 */
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { agentAbove } from "../adapters/agents/ancestry.ts";
import { lastWords } from "../adapters/agents/dialects/last-words.ts";
import { openDevices } from "../adapters/devices/devices.ts";
import { openMemory } from "../adapters/files/memory.ts";
import { openStateFolder } from "../adapters/files/state-folder.ts";
import { openBrowser } from "../adapters/process/open-browser.ts";
import { canSeePeers, holdersOf, peerSocket } from "../adapters/process/peer.ts";
import { publishBoard } from "../config/board-file.ts";
import type { Environment } from "../config/config.ts";
import { findRoot } from "../config/project-root.ts";
import { machineFolder, stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { PawlError, toPawlError } from "../core/error.ts";
import type { Caller, DeviceEvent } from "../core/event.ts";
import { deviceLine } from "../core/event-lines.ts";
import { once } from "../core/once.ts";
import type { Device } from "../core/ports/devices.ts";
import type { Project } from "../runtime/project.ts";
import { appended } from "../runtime/transaction/run-transaction.ts";
import type { PeerPorts } from "../surfaces/board/server/options.ts";
import type { PageFile } from "../surfaces/board/server/page.ts";
import { openBoard } from "../surfaces/board/server/serve.ts";
import type { BoardListen, BoardOrder } from "../surfaces/cli/line/command.ts";
import { firstSignal } from "../surfaces/ending-signals.ts";
import { builtPaths } from "./built.ts";

export interface ServeContext {
  /** The folder of the program's own files. */
  readonly home: string;
  readonly environment: Environment;
  readonly version: string;
  readonly caller: Caller;
  open(root: string): Promise<Project>;
  /** The search for agents among the ancestors stops before this process. */
  readonly until: number | undefined;
  readonly onError: (message: string) => void;
}

/** Serves until a signal ends it; returns the signal. */
export async function serveBoard(
  roots: readonly string[],
  order: BoardOrder,
  context: ServeContext,
): Promise<NodeJS.Signals> {
  const { environment, home, version, caller, onError } = context;
  const { port, readOnly } = order;
  const listen = order.listen && certified(order.listen);
  const ended = firstSignal();
  const opens = roots.map((root) => once(async () => remembering(await context.open(root), root)));
  const devices = openDevices(devicesFolder(environment));
  if (listen) for (const device of devices.list()) order.onSeen(knownDevice(device));
  const board = await openBoard({
    places: roots.map((root, at) => ({
      root,
      open: opens[at] as () => Promise<Project>,
      tail: (run: string) => lastWords(root, run),
    })),
    files: pageFiles(home),
    ...{ port, readOnly, version, caller, onError },
    metricsToken: environment.PAWL_METRICS_TOKEN || null,
    agentBehind: (socket) => agentBehind(socket, context.until),
    admits: canSeePeers() ? isOwnUser : () => true,
    ...(listen && {
      listen: {
        ...{ ...listen, devices },
        onSeen: (seen: DeviceEvent) => void seeDevice(seen, { opens, order, onError }),
      },
    }),
  });
  const { url } = board;
  const found = { url, pid: process.pid };
  const unpublish = order.unlisted
    ? []
    : roots.map((root) =>
        attempt(
          () => publishBoard(stateFolder(root, environment), found),
          () => {},
        ),
      );
  try {
    const address = board.invite();
    const opened = order.open && openBrowser(address, environment);
    order.onOpen({ url, address, roots, opened, devices: board.devices });
    return await ended;
  } finally {
    for (const each of unpublish) attempt(each, undefined);
    await board.close();
  }
}

/** The files' contents. Throws `usage`. */
function certified({ tls, ...listen }: BoardListen) {
  if (tls === null) return { ...listen, tls };
  try {
    return { ...listen, tls: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } };
  } catch (thrown) {
    throw new PawlError(
      "usage",
      `The certificate or its key cannot be read: ${(thrown as Error).message}.`,
      "Name files that you may read: --cert FILE --key FILE.",
      thrown,
    );
  }
}

/** A device is shown at the terminal, and recorded in each project of the board. */
async function seeDevice(
  seen: DeviceEvent,
  {
    onError,
    opens,
    order,
  }: Pick<ServeContext, "onError"> & {
    readonly opens: readonly (() => Promise<Project>)[];
    readonly order: BoardOrder;
  },
): Promise<void> {
  order.onSeen(`${new Date().toTimeString().slice(0, 5)} ${deviceLine(seen)[0]}`);
  for (const open of opens)
    try {
      await recordDevice(await open(), seen);
    } catch (thrown) {
      onError(toPawlError(thrown).message);
    }
}

export async function recordDevice({ runtime }: Project, seen: DeviceEvent): Promise<void> {
  const { newId, now, store } = runtime;
  await store.commit(store.view(), [appended({ ...seen, id: newId(), time: now().toISOString() })]);
}

/** Shown at the start, so that the person sees a device that they did not let in. */
function knownDevice({ added, name, passkey }: Device): string {
  const how = passkey ? "with its passkey" : "with its cookie";
  return `The device ${name}, added on ${added.slice(0, 10)}, may come in ${how}. If it is not yours: pawl board --revoke`;
}

export function devicesFolder(environment: Environment) {
  return openStateFolder(machineFolder(environment, "devices"));
}

/** With a memory, since the pages load all runs after each event. */
function remembering(project: Project, root: string): Project {
  // The memory checks the stamps of files, and a database has none.
  if (project.database) return project;
  const { store } = project.runtime;
  const memory = openMemory({ root, isPending: () => store.pending() !== null, now: Date.now });
  return { ...project, runtime: { ...project.runtime, memory } };
}

/**
 * Loopback is open to all users of a machine: if the kernel shows the owner of a connection, other users' are
 * refused.
 */
function isOwnUser(socket: PeerPorts): boolean {
  const peer = peerSocket({ localPort: socket.localPort, remotePort: socket.remotePort });
  // Root may do everything that the user may; a port forwarder of a virtual machine often runs as root.
  return peer?.uid === process.getuid?.() || peer?.uid === 0;
}

/** The agent that drives the browser, or whose shell connects; null: none. */
function agentBehind(socket: PeerPorts, until: number | undefined): string | null {
  const peer = peerSocket({ localPort: socket.localPort, remotePort: socket.remotePort });
  for (const pid of peer ? holdersOf(peer) : []) {
    const found = agentAbove(pid, until);
    if (found !== null) return found.agent;
  }
  return null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * The page's files, beside the bundled program or, for a program that runs from its sources, in the build's
 * folder.
 */
function pageFiles(home: string): ReadonlyMap<string, PageFile> {
  for (const folder of builtPaths(home, "board")) {
    const names = attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true }), []);
    const files = names.filter((each) => each.isFile() && extname(each.name) in TYPES);
    if (files.length > 0)
      return new Map(
        files.map(({ name, parentPath }) => {
          const path = join(parentPath, name);
          const type = TYPES[extname(name)] ?? "";
          const own = path.slice(folder.length + 1).replaceAll("\\", "/");
          return [own, { type, body: new Uint8Array(readFileSync(path)) }];
        }),
      );
  }
  return new Map();
}

/** The roots of the named folders, or of the surrounding project, each once. */
export function distinctRoots(
  folders: readonly string[],
  cwd: string,
  environment: Environment,
): readonly string[] {
  const options = { cwd, environment, create: false };
  const wanted = folders.length === 0 ? [undefined] : folders;
  return [...new Set(wanted.map((option) => realpathSync(findRoot({ ...options, option }))))];
}
