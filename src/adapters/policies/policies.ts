/**
 * The policies by which runs go on, kept outside of the project: no branch, merge or edit of the project's files brings
 * another. One file for each run; the text is checked against its own hash.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Policies } from "../../core/ports/policies.ts";
import { canonical } from "../../core/trust.ts";
import { writeWhole } from "../agents/output-file.ts";
import { hashOf } from "../files/hash.ts";
import { inStateHome, type StatePlace } from "../files/vault.ts";

interface Kept {
  readonly version: 1;
  readonly run: string;
  readonly sha256: string;
  readonly policy: Readonly<Record<string, unknown>>;
}

/** Nothing is made before there is something to keep, so that reading needs no right to write. */
export function openPolicies(state: StatePlace): Policies {
  const place = () => join(state.folder, "policies");
  const pathOf = (run: string) => join(place(), `${hashOf(run).slice(0, 32)}.json`);
  return {
    find: async (run) => {
      const kept = load(pathOf(run));
      return kept?.run === run ? kept.policy : null;
    },
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

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

function load(path: string): Kept | null {
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept;
    return kept.version === 1 && kept.sha256 === hashOf(canonical(kept.policy)) ? kept : null;
  } catch {
    return null;
  }
}
