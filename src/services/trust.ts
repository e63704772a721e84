/**
 * The consent of a person on this machine to programs that this project may start. Kept outside the project,
 * where no clone, checkout or merge can change it. The record holds exactly what was shown; anything new
 * needs a new consent.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "../adapters/files/disk.ts";
import { inStateHome } from "../adapters/files/project-key.ts";
import { writeWhole } from "../adapters/files/write-whole.ts";
import type { Environment } from "../config/config.ts";
import { openStateHome, TRUST_FILE } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { PawlError, toPawlError } from "../core/error.ts";
import type { View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import {
  agentEntry,
  distinct,
  type Executable,
  executablesOf,
  isTrusted,
  OWN_AGENT,
  type Starts,
  startsOfTask,
  type TrustRecord,
  visible,
} from "../core/trust.ts";
import type { Trust } from "../runtime/project.ts";

export interface TrustContext {
  readonly root: string;
  readonly environment: Environment;
  view(): View;
  settings(): Promise<Settings>;
  /** Commands that the calling program itself brings; the project's files do not name them. */
  readonly own?: readonly string[];
  /** Whether the calling program vouches for the project's files. */
  readonly vouched?: boolean;
}

export function openTrust(context: TrustContext): Trust {
  const { root, environment, own = [], vouched = false } = context;
  const record = openRecord(root, environment);
  const present = async () => {
    const settings = await context.settings();
    return executablesOf(settings, await startsOf(settings, context.view()));
  };
  const refusal = (entries: readonly Executable[]) => {
    const kept = record();
    const missing = entries.filter((each) => !isTrusted(each, kept));
    return vouched || missing.length === 0 ? null : untrustedProjectError(root, missing);
  };
  return {
    async status() {
      const tasks = await startsOfTasks(await context.settings(), context.view());
      const found = distinct([...(await present()), ...tasks]);
      const kept = record();
      return { entries: found, record: kept, untrusted: found.filter((each) => !isTrusted(each, kept)) };
    },
    async checkCommand(command) {
      if (vouched || own.includes(command)) return;
      // Settings decide what a command gets, so they need consent too.
      const settings = (await present()).filter(({ kind }) => kind === "setting");
      throwIf(refusal([{ kind: "command", name: "a command", text: command }, ...settings]));
    },
    async checkLoop() {
      throwIf(refusal((await present()).filter(({ kind }) => kind === "setting" || kind === "setup")));
    },
    async lacking(task) {
      return refusal(startsOfTask(task, await context.settings()));
    },
    async checkAgent(name) {
      const entry = (await present()).find((each) => each.kind === "agent" && each.name === name);
      throwIf(refusal(entry ? [entry] : []));
    },
    async accept(entries, by) {
      const before = (record()?.entries ?? []).filter(({ kind }) => kind !== "notice");
      saveTrust({ root, environment, by, entries: distinct([...entries, ...before]) });
    },
    async acceptAgent(name, by) {
      const entry = agentEntry(name, await context.settings());
      const { entries = [] } = record() ?? {};
      if (entry.text !== OWN_AGENT || isTrusted(entry, { entries })) return;
      saveTrust({ root, environment, by, entries: [...entries, entry] });
    },
    async revoke() {
      if (loadRecord(root, environment) === null) return false;
      const state = openStateHome(root, environment);
      inStateHome(state, "be removed", () => rmSync(join(state.folder, TRUST_FILE), { force: true }));
      return true;
    },
  };
}

/** Writes the record atomically. */
export function saveTrust(given: {
  readonly root: string;
  readonly environment: Environment;
  readonly entries: readonly Executable[];
  readonly by: string;
}): void {
  const { root, environment, entries, by } = given;
  const record: TrustRecord = {
    version: 1,
    root,
    inode: statSync(root).ino,
    time: new Date().toISOString(),
    by,
    entries,
  };
  const state = openStateHome(root, environment);
  inStateHome(state, "be written", () => {
    state.make();
    writeWhole(join(state.folder, TRUST_FILE), `${JSON.stringify(record, null, 2)}\n`);
  });
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (isAbsence(thrown)) return null;
    throw thrown;
  }
}

/** Reads the record again only if the file was replaced. */
function openRecord(root: string, environment: Environment): () => TrustRecord | null {
  let known: { readonly stamp: string; readonly record: TrustRecord | null } | null = null;
  return () => {
    const path = join(openStateHome(root, environment).folder, TRUST_FILE);
    const stats = attempt(() => statSync(path), null);
    const stamp = stats === null ? "" : [stats.ino, stats.mtimeMs, stats.ctimeMs, stats.size].join(" ");
    if (stamp === "" || known?.stamp !== stamp) known = { stamp, record: loadRecord(root, environment) };
    return known.record;
  };
}

/**
 * Null also if the record is damaged or belongs to another folder that had this path: then there is no
 * consent.
 */
function loadRecord(root: string, environment: Environment): TrustRecord | null {
  const state = openStateHome(root, environment);
  const text = inStateHome(state, "be read", () => readOrNull(join(state.folder, TRUST_FILE)));
  return attempt(() => {
    const found = JSON.parse(text ?? "null") as TrustRecord;
    const isOurs = found.version === 1 && Array.isArray(found.entries) && found.inode === statSync(root).ino;
    return isOurs ? found : null;
  }, null);
}

/** The programs that the project's own workflows start. A workflow that cannot be loaded starts none. */
async function startsOf({ workflows }: Settings, view: View): Promise<readonly Starts[]> {
  if (workflows.length === 0) return [];
  const [{ ownSources }, { startsIn }] = await Promise.all([
    import("./own-workflows.ts"),
    import("../workflows/custom/definition/starts.ts"),
  ]);
  const settings = { workflows } as Settings;
  const loaded = await Promise.all(
    (await ownSources(settings)).map((source) => source.load(view).catch(toPawlError)),
  );
  return loaded.flatMap((each) => (each instanceof PawlError ? [] : [startsIn(each.definition)]));
}

/** The programs that work on the open tasks would start. An unreadable list starts none. */
async function startsOfTasks(settings: Settings, view: View): Promise<readonly Executable[]> {
  const [{ loadTasks }, { eachTask, isOpenStatus }] = await Promise.all([
    import("../tasks-file/load.ts"),
    import("../tasks-file/task.ts"),
  ]);
  const loaded = await loadTasks(view, { settings }).catch(toPawlError);
  if (loaded instanceof PawlError) return [];
  return eachTask(loaded.file.tasks)
    .filter(({ task }) => isOpenStatus(task.status))
    .flatMap(({ task }) => startsOfTask(task, settings));
}

function throwIf(error: PawlError | null): void {
  if (error !== null) throw error;
}

const SHOWN = 3;

function untrustedProjectError(root: string, missing: readonly Executable[]): PawlError {
  const shown = missing.slice(0, SHOWN).map(({ name, text }) => `${name} (${visible(text.slice(0, 120))})`);
  const more = missing.length > SHOWN ? `, and ${missing.length - SHOWN} more` : "";
  return new PawlError(
    "project-untrusted",
    `Nobody on this machine has agreed to what ${root} would start: ${shown.join(", ")}${more}. Nothing was started.`,
    "Run `pawl trust` in a terminal: it shows what the project's files would start, and asks. Read-only commands work without it.",
  );
}
