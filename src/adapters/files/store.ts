/**
 * The store on plain files: one journal per project, one lock per run, one for the project.
 *
 * A commit under the project's lock: replay what is pending → verify what the view read → write and sync the
 * journal's record, which is the commit → apply the files → move the marker. A failure after the sync does
 * not undo the commit: it stays pending, and the next process to open the project continues.
 */
import { PawlError } from "../../core/error.ts";
import type { Change, Pending, Store, View } from "../../core/ports/store.ts";
import { type Disk, errnoOf, withFile } from "./disk.ts";
import { guarded } from "./disk-error.ts";
import { EditorsNeeded, type LoadEditors, lateEditors } from "./editors.ts";
import type { OnForeign } from "./journal/foreign.ts";
import { appendRecord, isAllApplied, journalSize, readJournal } from "./journal/journal.ts";
import type { OnKept } from "./journal/keep.ts";
import type { Applied } from "./journal/marker.ts";
import { findUnapplied, refusalOf, type Unapplied } from "./journal/pending.ts";
import { planSteps } from "./journal/plan.ts";
import { putAsideIfLong } from "./journal/put-aside.ts";
import { applyFrom, type Project, recover, settle } from "./journal/recover.ts";
import { ensureFolders } from "./journal/temporary.ts";
import { openLocks, PROJECT_LOCK, runLockName } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { openProjectKey, type StateFolder } from "./project-key.ts";
import { checkFolders, type FileOnDisk, type KnownFolders } from "./read-at.ts";
import { openView, plainReader, type Reader, type Reads, stillHolds } from "./view.ts";

export interface StoreOptions {
  /** The project's folder, absolute. */
  readonly root: string;
  /** The folder outside the project that holds its key and marker. */
  readonly state: StateFolder;
  /** Reads a packaged text; null if there is none. */
  readonly packaged?: (path: string) => Promise<string | null>;
  /** Loads the editors, by the name in changes of type `edit`. */
  readonly editors?: LoadEditors;
  /** Called with each text of a person's that was kept aside before it was replaced. */
  readonly onKept?: OnKept;
  /** Called with commits in the journal that are not this project's own, and so are not applied. */
  readonly onForeign?: OnForeign;
  /** Called with committed changes that cannot be written to their files yet. */
  readonly onPending?: (pending: Pending) => void;
  /** How long a commit waits for another one; default 10 s. */
  readonly commitWaitMilliseconds?: number;
  /** How long a transaction waits for another one of the same run; default 30 s. */
  readonly holdWaitMilliseconds?: number;
  /** A commit settles the journal if the journal is longer than this afterwards; default 4 MB. */
  readonly journalBytes?: number;
  /** Settling renames an event log that is longer than this; default 64 MB. */
  readonly eventsBytes?: number;
  /** The disk of the project; default the real one. */
  readonly disk?: Disk;
}

export const COMMIT_WAIT = 10_000;
const HOLD_WAIT = 30_000;
const JOURNAL_BYTES = 4 * 1024 * 1024;
const EVENTS_BYTES = 64 * 1024 * 1024;

/** The project as the options name it. */
export function projectOf(options: StoreOptions): Project {
  return {
    disk: options.disk ?? nodeDisk(options.root),
    projectKey: openProjectKey(options.state),
    editors: lateEditors(options.editors ?? (async () => ({}))),
    onKept: options.onKept ?? (() => {}),
    onForeign: options.onForeign ?? (() => {}),
  };
}

export function openStore(options: StoreOptions): Store {
  const project = projectOf(options);
  const { disk, editors } = project;
  const locks = openLocks(disk);
  const readsOf = new WeakMap<View, Reads>();

  const commitWait = options.commitWaitMilliseconds ?? COMMIT_WAIT;

  const locked = async <T>(what: string, work: () => T, wait: number): Promise<T> => {
    const lock = await locks.acquire(PROJECT_LOCK, what, wait);
    try {
      return work();
    } finally {
      lock.release();
    }
  };

  const underLock = async <T>(what: string, work: () => T, wait = commitWait): Promise<T> => {
    try {
      return await locked(what, work, wait);
    } catch (thrown) {
      if (!(thrown instanceof EditorsNeeded)) throw thrown;
      await editors.load();
      return locked(what, work, wait);
    }
  };

  const reading = openReading(project, options, (work) => underLock("Reading the project", work));
  const { ready } = reading;

  const reads = (view: View): Reads => {
    const reads = readsOf.get(view);
    if (reads !== undefined) return reads;
    throw new PawlError("internal", "This store got a view of another store.", "Report this.");
  };

  const journalBytes = options.journalBytes ?? JOURNAL_BYTES;
  const eventsBytes = options.eventsBytes ?? EVENTS_BYTES;
  const commitNow = (view: View, changes: readonly Change[]) =>
    commitUnderLock(
      { project, journalBytes, eventsBytes, onUnapplied: reading.onUnapplied },
      reads(view),
      changes,
    );

  const settleNow = () => settleWhole(project, eventsBytes);

  return {
    view() {
      const opened = openView({
        packaged: options.packaged ?? (async () => null),
        ready,
        guarded: (work) => guarded("Reading the project", work),
      });
      readsOf.set(opened.view, opened.reads);
      return opened.view;
    },
    async hold(run) {
      const limit = options.holdWaitMilliseconds ?? HOLD_WAIT;
      const lock = await guarded("Locking the run", () => locks.acquire(runLockName(run), run, limit));
      return { [Symbol.asyncDispose]: async () => lock.release() };
    },
    holds: (view) => guarded("Reading the project", async () => stillHolds(await ready(), reads(view))),
    commit: (view, changes) =>
      guarded("Committing", async () => {
        const result = await underLock("A commit", () => commitNow(view, changes));
        if (result !== "unapplied") return result;
        // Committed either way: if this fails, the next process that opens the project applies it.
        await ready().catch(() => {});
        return "committed";
      }),
    async log(path, line) {
      try {
        appendLog(disk, path, line);
      } catch {}
    },
    catchUp: () =>
      guarded("Reading the project", async () => {
        await ready();
        return reading.pending();
      }),
    pending: reading.pending,
    settle: () =>
      guarded("Settling the journal", async () => {
        if (journalSize(disk) > 0) await unlessBusy(() => underLock("Settling the journal", settleNow, 0));
      }),
  };
}

interface Reading {
  /** Applies what is pending. Returns how to read the files. */
  readonly ready: () => Promise<Reader>;
  readonly pending: () => Pending | null;
  /** Reports the pending commits; null: there are none. */
  readonly onUnapplied: (unapplied: Unapplied | null) => void;
}

function openReading(
  project: Project,
  { onPending }: StoreOptions,
  underLock: (work: () => void) => Promise<void>,
): Reading {
  const plain = plainReader(project.disk);
  let pending: Pending | null = null;
  let isForeignReported = false;

  const onUnapplied = (unapplied: Unapplied | null) => {
    pending = unapplied === null || unapplied.pending.changes === 0 ? null : unapplied.pending;
    if (pending !== null) onPending?.(pending);
  };
  const reportForeign = () => {
    const { foreign } = isForeignReported ? { foreign: null } : readJournal(project, null);
    if (foreign !== null) project.onForeign({ ...foreign, kept: null });
    isForeignReported = true;
  };
  const ready = async (): Promise<Reader> => {
    if (isAllApplied(project)) return plain;
    // Without a key, no record of the journal is this project's own. A process that only reads leaves the
    // journal in place: it may belong to a process that keeps the key elsewhere and is still working.
    if (project.projectKey.key() === null) {
      reportForeign();
      return plain;
    }
    try {
      await underLock(() => void recover(project));
      onUnapplied(null);
      return plain;
    } catch (thrown) {
      const code = refusalOf(thrown);
      if (code === null) throw thrown;
      await project.editors.load();
      const unapplied = findUnapplied(project, code);
      onUnapplied(unapplied);
      return unapplied.reader;
    }
  };
  return { ready, pending: () => pending, onUnapplied };
}

interface Committing {
  readonly project: Project;
  readonly journalBytes: number;
  readonly eventsBytes: number;
  readonly onUnapplied: Reading["onUnapplied"];
}

/** `unapplied`: committed, but an edit must be redone on a text that a person has saved since. */
function commitUnderLock(
  { project, journalBytes, eventsBytes, onUnapplied }: Committing,
  reads: Reads,
  changes: readonly Change[],
): "committed" | "changed" | "unapplied" {
  const { disk } = project;
  const at = recoverFirst(project, onUnapplied);
  const filesRead = new Map<string, FileOnDisk | null>();
  const checkedFolders: KnownFolders = new Set();
  if (!stillHolds(plainReader(disk), reads, filesRead, checkedFolders)) return "changed";
  const steps = planSteps({ disk, filesRead, checkedFolders }, changes);
  if (steps === "changed") return "changed";
  if (steps.length === 0) return "committed";
  const record = appendRecord(project, at, steps);
  const end = { ...record, length: record.end };
  try {
    const applied = applyFrom(project, end, steps, { fresh: true, torn: false });
    // Without a boot id no marker can be trusted, so leave nothing to replay.
    if (applied.length > journalBytes || disk.bootId() === null) settleWhole(project, eventsBytes);
  } catch (thrown) {
    // It is committed. The next reader applies the rest, or reports why it cannot.
    if (thrown instanceof EditorsNeeded) return "unapplied";
    ignoreErrors(() => onUnapplied(findUnapplied(project, refusalOf(thrown) ?? "EIO")));
  }
  return "committed";
}

/** Applies pending commits before a new one is added. */
function recoverFirst(project: Project, onUnapplied: Reading["onUnapplied"]): Applied {
  try {
    const applied = recover(project);
    onUnapplied(null);
    return applied;
  } catch (thrown) {
    const code = refusalOf(thrown);
    const unapplied = code === null ? null : findUnapplied(project, code);
    onUnapplied(unapplied);
    if (unapplied === null || unapplied.pending.changes === 0) throw thrown;
    const { pending } = unapplied;
    const earlier = pending.changes === 1 ? "1 earlier one is" : `${pending.changes} earlier ones are`;
    throw new PawlError(
      "disk-failed",
      `Nothing new was committed: ${earlier} committed but not in the files yet, and must be written first, which fails: ${pending.reason}.`,
      pending.fix,
      thrown,
    );
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {}
}

const WAITS: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

/** Settles unless the lock is taken or writing is refused: it can wait for another process. */
async function unlessBusy(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isBusy = error instanceof PawlError && error.code === "lock-timeout";
    if (!isBusy && !WAITS.has(errnoOf(error) ?? "")) throw error;
  }
}

/**
 * Settles the journal, and renames a long event log then. If the renaming fails, the next call repeats it.
 */
function settleWhole(project: Project, eventsBytes: number): void {
  settle(project);
  ignoreErrors(() => putAsideIfLong(project.disk, eventsBytes));
}

/** Appends one whole line in one write. Removes the part that a full disk cut short. */
export function appendLog(disk: Disk, path: string, line: string): void {
  if (!checkFolders(disk, path)) ensureFolders(disk, path);
  const bytes = Buffer.from(line.endsWith("\n") ? line : `${line}\n`);
  withFile(disk, path, "append", (fd) => {
    const before = disk.stat(fd).size;
    const written = disk.write(fd, bytes, before);
    if (written < bytes.length && disk.stat(fd).size === before + written) disk.truncate(fd, before);
  });
}
