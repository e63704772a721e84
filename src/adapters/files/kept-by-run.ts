/**
 * Values of runs, kept outside the project: no branch, merge or edit of the project's files can replace one.
 * One file per run; its text is checked against its own hash.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { meaningOf } from "../../core/errno.ts";
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { errnoOf, isAbsence } from "./disk.ts";
import { inStateHome, type StateFolder } from "./project-key.ts";
import { writeWhole } from "./write-whole.ts";

export interface KeptByRun<T> {
  find(run: string): Promise<T | null>;
  /** Replaces the run's value. */
  keep(run: string, value: T): Promise<void>;
  forget(run: string): Promise<void>;
  /** The runs that have a value. */
  list(): Promise<readonly string[]>;
}

/** The kind of value, in words for messages. */
export interface Kind {
  /** The folder below the state home, and the value's key in its file. */
  readonly folder: string;
  readonly key: string;
  /** `the policy` */
  readonly noun: string;
  /** The advice for a damaged file without a backup. */
  readonly without: string;
}

type Kept = Readonly<Record<string, unknown>>;

/** Creates nothing before there is a value, so that reading needs no write permission. */
export function openKeptByRun<T>(state: StateFolder, kind: Kind): KeptByRun<T> {
  const folder = () => join(state.folder, kind.folder);
  const pathOf = (run: string) => join(folder(), nameOf(run));
  return {
    find: async (run) => (load(pathOf(run), kind)?.[kind.key] ?? null) as T | null,
    async keep(run, value) {
      const kept: Kept = { version: 1, run, sha256: hashOf(canonical(value)), [kind.key]: value };
      inStateHome(state, "be written", () => {
        state.make();
        mkdirSync(folder(), { recursive: true, mode: 0o700 });
        writeWhole(pathOf(run), `${JSON.stringify(kept, null, 2)}\n`);
      });
    },
    forget: async (run) => inStateHome(state, "be removed", () => rmSync(pathOf(run), { force: true })),
    async list() {
      return namesIn(folder(), kind).flatMap((name) => {
        const run = load(join(folder(), name), kind)?.run;
        return typeof run === "string" ? [run] : [];
      });
    },
  };
}

function nameOf(run: string): string {
  return `${hashOf(run).slice(0, 32)}.json`;
}

function namesIn(folder: string, kind: Kind): readonly string[] {
  return readOr([], folder, kind, () => readdirSync(folder).filter((name) => name.endsWith(".json")));
}

/** Null if the file is missing. An unreadable file throws. */
function load(path: string, kind: Kind): Kept | null {
  const text = readOr(null, path, kind, () => readFileSync(path, "utf8"));
  if (text === null) return null;
  const kept = parse(text);
  const fault = kept === null ? "something else" : faultOf(kept, basename(path), kind);
  if (fault === null) return kept;
  throw new PawlError(
    "state-home-failed",
    `${path} is damaged: expected ${kind.noun} that Pawl kept there for a run, found ${fault}.`,
    `Restore the file from a backup. If there is none, ${kind.without}`,
  );
}

function parse(text: string): Kept | null {
  return attempt(() => {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Kept) : null;
  }, null);
}

function faultOf(kept: Kept, name: string, { key, noun }: Kind): string | null {
  if (kept.version !== 1) return `one of version ${JSON.stringify(kept.version)}`;
  if (typeof kept.run !== "string" || nameOf(kept.run) !== name) return "that of another run";
  return kept.sha256 === hashOf(canonical(kept[key]))
    ? null
    : `${noun.replace(/^the /, "another ")} than its hash says`;
}

function readOr<T, N>(none: N, path: string, { folder }: Kind, read: () => T): T | N {
  try {
    return read();
  } catch (thrown) {
    if (isAbsence(thrown)) return none;
    const code = errnoOf(thrown);
    throw new PawlError(
      "state-home-failed",
      `${path} cannot be read: ${meaningOf(code ?? "")} (${code}). It holds the ${folder} of this project's runs.`,
      "Make it readable for this user, then run the command again.",
      thrown,
    );
  }
}
