/**
 * The policies of runs, kept outside the project: no branch, merge or edit of the project's files can replace one. One
 * file for each run; its text is checked against its own hash.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { Policies } from "../../core/ports/policies.ts";
import { canonical } from "../../core/trust.ts";
import { errnoOf, isAbsence } from "../files/disk.ts";
import { meaningOf } from "../files/disk-error.ts";
import { hashOf } from "../files/hash.ts";
import { inStateHome, type StatePlace } from "../files/vault.ts";
import { writeWhole } from "../files/write-whole.ts";

interface Kept {
  readonly version: 1;
  readonly run: string;
  readonly sha256: string;
  readonly policy: Readonly<Record<string, unknown>>;
}

/** Creates nothing before there is something to keep, so that reading needs no write permission. */
export function openPolicies(state: StatePlace): Policies {
  const place = () => join(state.folder, "policies");
  const pathOf = (run: string) => join(place(), nameOf(run));
  return {
    find: async (run) => load(pathOf(run))?.policy ?? null,
    async keep(run, policy) {
      const kept: Kept = { version: 1, run, sha256: hashOf(canonical(policy)), policy };
      inStateHome(state, "be written", () => {
        state.make();
        mkdirSync(place(), { recursive: true, mode: 0o700 });
        writeWhole(pathOf(run), `${JSON.stringify(kept, null, 2)}\n`);
      });
    },
    forget: async (run) => inStateHome(state, "be removed", () => rmSync(pathOf(run), { force: true })),
    async list() {
      return namesIn(place()).flatMap((name) => load(join(place(), name))?.run ?? []);
    },
  };
}

function nameOf(run: string): string {
  return `${hashOf(run).slice(0, 32)}.json`;
}

function namesIn(folder: string): readonly string[] {
  return readOr([], folder, () => readdirSync(folder).filter((name) => name.endsWith(".json")));
}

/** Null if there is none. An unreadable file is never treated as that. */
function load(path: string): Kept | null {
  const text = readOr(null, path, () => readFileSync(path, "utf8"));
  if (text === null) return null;
  const kept = parse(text);
  const fault = kept === null ? "something else" : faultOf(kept, basename(path));
  if (fault === null) return kept;
  throw new PawlError(
    "state-home-failed",
    `${path} is damaged: expected the policy that Pawl kept there for a run, found ${fault}.`,
    "Restore the file from a backup. If there is none, review the project's files and remove it: they then govern the run.",
  );
}

function parse(text: string): Kept | null {
  return attempt(() => {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Kept) : null;
  }, null);
}

function faultOf(kept: Kept, name: string): string | null {
  if (kept.version !== 1) return `one of version ${JSON.stringify(kept.version)}`;
  if (typeof kept.run !== "string" || nameOf(kept.run) !== name) return "that of another run";
  return kept.sha256 === hashOf(canonical(kept.policy)) ? null : "another policy than its hash says";
}

function readOr<T, N>(none: N, path: string, read: () => T): T | N {
  try {
    return read();
  } catch (thrown) {
    if (isAbsence(thrown)) return none;
    const code = errnoOf(thrown);
    throw new PawlError(
      "state-home-failed",
      `${path} cannot be read: ${meaningOf(code ?? "")} (${code}). It holds the policies of this project's runs.`,
      "Make it readable for this user, then run the command again.",
      thrown,
    );
  }
}
