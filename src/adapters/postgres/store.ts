/**
 * The store on PostgreSQL. Reads come from a mirror; a commit is one call of one function, which locks the
 * project's row.
 *
 * P1  A commit has an id of its own. If its reply is lost, it is sent again with the same id, and happens
 *     once.
 * P2  The database reports whether anything that was read may have changed; then the texts are compared, and
 *     only a real difference counts.
 * P3  With a fence, the database refuses a commit under a lost lease, and the lease cannot be taken during
 *     the commit.
 * P4  Others are notified by a separate statement after the commit: inside it, notifying would serialise all
 *     commits of the server.
 */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { PawlError } from "../../core/error.ts";
import { EVENTS } from "../../core/event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, Entry, Store, View } from "../../core/ports/store.ts";
import { lastLineOf } from "../../core/text/lines.ts";
import { isReserved } from "../files/control.ts";
import { type Connections, sqlStateOf } from "./connections.ts";
import { refusalOf } from "./failures.ts";
import { type Base, type Mirror, openMirror } from "./mirror.ts";
import { CHANNEL, type Fence, type StoredProject } from "./stored-project.ts";

export interface StoreOptions extends StoredProject {
  /** Reads a packaged text; null if there is none. */
  readonly packaged?: (path: string) => Promise<string | null>;
  /** A mirror that is shared with other stores of the project. */
  readonly mirror?: Mirror;
  /** The lease under which each commit counts; null: it is not held. Absent: commits need none. */
  readonly fence?: () => Fence | null;
}

/** What was read through a view, as first read. */
interface Reads {
  readonly files: Map<string, string | null>;
  readonly folders: Map<string, string>;
  /** The mirror's state at the first read; null: nothing was read. */
  base: Base | null;
}

/** How often the reads may be compared again because of concurrent commits. */
const MAX_COMPARED = 20;

export function openStore(options: StoreOptions): Store {
  const { connections, packaged = async () => null, project } = options;
  const { mirror = openMirror(connections, project) } = options;
  const readsOf = new WeakMap<View, Reads>();
  const events = () => eventsOf(options);

  const readsIn = (view: View): Reads => {
    const reads = readsOf.get(view);
    if (reads !== undefined) return reads;
    throw new PawlError("internal", "This store got a view of another store.", "Report this.");
  };
  const textNow = async (path: string) => (path === EVENTS ? events() : mirror.text(path));
  const isAsRead = async ([path, before]: readonly [string, string | null]) =>
    (await textNow(path)) === before;
  /** The state in which all reads are still the same; null: one differs. */
  const stillHolds = async ({ files, folders }: Reads): Promise<Base | null> => {
    await mirror.refresh();
    // Other users of the mirror may refresh it during the comparison: that state is newer than this one.
    const { base } = mirror;
    for (const [folder, before] of folders) if (JSON.stringify(mirror.list(folder)) !== before) return null;
    for (const file of files) if (!(await isAsRead(file))) return null;
    return base;
  };

  return {
    view() {
      const reads: Reads = { files: new Map(), folders: new Map(), base: null };
      const view = openView({ mirror, packaged, textNow, isAsRead }, reads);
      readsOf.set(view, reads);
      return view;
    },
    hold: (run) => holdLock(options, run),
    holds: async (view) => (await stillHolds(readsIn(view))) !== null,
    async commit(view, changes) {
      const reads = readsIn(view);
      const order = { ...orderOf(changes), id: randomUUID() };
      for (let compared = 0; compared <= MAX_COMPARED; compared++) {
        const outcome = await commitOnce(options, reads, order);
        if (outcome === "committed" || outcome === "known") return "committed";
        const base = outcome === "taken" ? null : await stillHolds(reads);
        if (base === null) return "changed";
        reads.base = base;
      }
      return "changed";
    },
    async catchUp() {
      await mirror.refresh();
      return null;
    },
    pending: () => null,
    // Debug logs stay on the machine.
    log: async () => {},
    settle: async () => {},
  };
}

function openView(
  {
    isAsRead,
    mirror,
    packaged,
    textNow,
  }: {
    readonly mirror: Mirror;
    readonly packaged: View["packaged"];
    readonly textNow: (path: string) => Promise<string | null>;
    readonly isAsRead: (file: readonly [string, string | null]) => Promise<boolean>;
  },
  reads: Reads,
): View {
  let first: Promise<void> | null = null;
  const ready = async () => {
    first ??= mirror.refresh();
    await first;
    reads.base ??= mirror.base;
  };
  const read = async (path: ProjectPath) => {
    await ready();
    const before = reads.files.get(path);
    if (before !== undefined) return before;
    const text = await textNow(path);
    reads.files.set(path, text);
    return text;
  };
  return {
    read,
    lastLine: async (path) => lastLineOf(await read(path)),
    async list(folder: ProjectPath): Promise<readonly Entry[]> {
      await ready();
      const entries = mirror.list(folder);
      if (!reads.folders.has(folder)) reads.folders.set(folder, JSON.stringify(entries));
      return entries;
    },
    async isCurrent(paths) {
      await mirror.refresh();
      const wanted = [...reads.files].filter(([path]) => (paths as readonly string[]).includes(path));
      for (const file of wanted) if (!(await isAsRead(file))) return false;
      return true;
    },
    packaged,
  };
}

/** The whole log; rarely read through a view. */
async function eventsOf({ connections, project }: StoredProject): Promise<string | null> {
  const [row] = await connections.query<{ text: string | null }>(
    "select string_agg(text, '' order by place) as text from pawl.event where project = $1",
    [project],
  );
  return row?.text ?? null;
}

/** A change set in the database's form: the log is a table of its own. */
interface Order {
  readonly id: string;
  readonly changes: string;
  readonly emptied: boolean;
  readonly lines: readonly string[];
}

type DocumentChange =
  | { readonly type: "write" | "append"; readonly path: string; readonly text: string }
  | { readonly type: "remove"; readonly path: string }
  | { readonly type: "move"; readonly path: string; readonly to: string };

function orderOf(changes: readonly Change[]): Omit<Order, "id"> {
  const documents: DocumentChange[] = [];
  let lines: string[] = [];
  let emptied = false;
  for (const change of changes) {
    const paths = change.type === "move" ? [change.from, change.to] : [change.path];
    const reserved = paths.find((path) => isReserved(path) || (path === EVENTS && change.type === "move"));
    if (reserved !== undefined) throw unsupportedChangeError(reserved);
    if ("text" in change) checkText(change, change.text);
    if (paths[0] !== EVENTS) documents.push(documentChange(change));
    else if (change.type === "append") lines.push(change.text.toWellFormed());
    else if (change.type === "remove") [lines, emptied] = [[], true];
    else if (change.type === "write") [lines, emptied] = [[...linesOf(change.text.toWellFormed())], true];
    else throw unsupportedChangeError(EVENTS);
  }
  return { changes: JSON.stringify(documents), emptied, lines };
}

function documentChange(change: Change): DocumentChange {
  switch (change.type) {
    case "move":
      return { type: "move", path: change.from, to: change.to };
    case "remove":
      return { type: "remove", path: change.path };
    default:
      return {
        type: change.type === "append" ? "append" : "write",
        path: change.path,
        text: change.text.toWellFormed(),
      };
  }
}

/** With their line breaks. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function unsupportedChangeError(path: string): PawlError {
  return new PawlError(
    "internal",
    `A change set names ${path}, which cannot be changed like this in a database.`,
    "Report this with the command that was run.",
  );
}

function checkText(change: Change, text: string): void {
  if (!text.includes("\0")) return;
  throw new PawlError(
    "state-unreadable",
    `${"path" in change ? change.path : change.to} contains a NUL character, which PostgreSQL cannot keep.`,
    "Remove the character, then run the command again.",
  );
}

const COMMIT = "select outcome, at_revision from pawl.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

type Outcome = "committed" | "known" | "changed" | "restored" | "fenced";

/** `taken`: a move's target exists. */
async function commitOnce(
  { connections, fence, project }: StoreOptions,
  { base, files, folders }: Reads,
  { changes, emptied, id, lines }: Order,
): Promise<Exclude<Outcome, "fenced"> | "taken"> {
  const held = fence?.();
  if (held === null) throw lostLeaseError();
  // Without a base nothing was read, and nothing can have changed.
  const knownState = base ? [base.revision, base.head] : [null, null];
  const reads = [[...files.keys()], [...folders.keys()]];
  const lease = held ? [held.what, held.epoch] : [null, null];
  const values = [project, id, ...knownState, ...reads, changes, emptied, lines, ...lease];
  try {
    const [row] = await connections.query<{ outcome: Outcome }>(COMMIT, values);
    const outcome = row?.outcome ?? "changed";
    if (outcome === "fenced") throw lostLeaseError();
    if (outcome === "committed") connections.notify(CHANNEL, project);
    return outcome;
  } catch (thrown) {
    const refusal = refusalOf(connections.address, thrown);
    if (refusal === "changed") return "taken";
    throw refusal ?? (sqlStateOf(thrown) === "55P03" ? busyDatabaseError(connections) : thrown);
  }
}

function lostLeaseError(): PawlError {
  return new PawlError(
    "lease-lost",
    "Nothing was committed: another worker took over the lease on this work.",
    "Let this worker end. Its work so far stays where it is; the other worker continues from the last commit.",
  );
}

function busyDatabaseError({ address }: Connections): PawlError {
  return new PawlError(
    "lock-timeout",
    `A commit in the database ${address.shown} waited too long for another one. Nothing was committed.`,
    "Look in pg_stat_activity for what holds the project's row, end it, then run the command again.",
  );
}

/** A waiter keeps a connection, which a holder may need to end: so it gives it back this often. Milliseconds. */
const WAITING = 1_000;
const PAUSE = 50;

/**
 * The run's lock, for as long as its transaction is open. It orders transactions; the commit itself checks what
 * was read.
 */
async function holdLock({ connections, project }: StoredProject, run: string): Promise<AsyncDisposable> {
  const { holding } = connections.limits;
  const key = `pawl ${project} ${run}`;
  const end = performance.now() + holding;
  for (;;) {
    try {
      return await connections.transaction(
        (query) => query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [key]),
        Math.min(WAITING, holding),
      );
    } catch (thrown) {
      if (sqlStateOf(thrown) !== "55P03") throw thrown;
      if (performance.now() + PAUSE > end) throw await heldRunError(connections, run, key);
      await setTimeout(PAUSE * (0.5 + Math.random()));
    }
  }
}

const HOLDER = `
  select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended($1, 0)`;

async function heldRunError(connections: Connections, run: string, key: string): Promise<PawlError> {
  const [holder] = await connections.query<{ name: string }>(HOLDER, [key]);
  return new PawlError(
    "lock-timeout",
    `The run ${run} is held by ${holder?.name || "another process"}; it was not free in time.`,
    "Wait until that process is done, or end it, then run the command again.",
  );
}
