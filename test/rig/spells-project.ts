/** A real project in a temporary folder, with the real store, in which spells are cast. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { newId } from "../../src/adapters/clock/new-id.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import type { Caller } from "../../src/core/event.ts";
import type { Outside } from "../../src/core/ports/outside.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import type { Reply, Transaction } from "../../src/runtime/module.ts";
import { type Runtime, runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { acceptState } from "../../src/workflows/spells/accept-state.ts";
import { castOf } from "../../src/workflows/spells/cast.ts";
import type { Spell } from "../../src/workflows/spells/events.ts";
import { stateOf } from "./state-home.ts";

/** The log of the run. */
export const LOG = ".pawl/log/spells/main.jsonl";
const PACKAGED = new URL("../../src/workflows/", import.meta.url);

/** The packaged texts, from the source folder. */
export async function packaged(path: string): Promise<string | null> {
  const url = new URL(path, PACKAGED);
  return existsSync(url) ? readFileSync(url, "utf8") : null;
}

export interface CastReply {
  readonly text: string;
  readonly row: string;
  readonly state: string;
  readonly outcome: string;
  readonly available: readonly string[];
}

export class SpellsProject implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), "pawl-spells-"));
  readonly runtime: Runtime;

  constructor(outside: Partial<Outside> = {}, now: () => Date = () => new Date("2026-01-31T09:30:15.250Z")) {
    const store = openStore({ root: this.root, state: stateOf(this.root), packaged });
    this.runtime = { store, outside: outside as Outside, settings: async () => DEFAULT_SETTINGS, now, newId };
  }

  async cast(spell: Spell, channel: Caller["channel"] = "mcp"): Promise<CastReply> {
    const { text, data } = await this.run(castOf(spell), channel);
    return { text, ...(data as unknown as Omit<CastReply, "text">) };
  }

  /** Casts the spells in order and returns the rows that were taken. */
  async castAll(...spells: readonly Spell[]): Promise<readonly string[]> {
    const rows: string[] = [];
    for (const spell of spells) rows.push((await this.cast(spell)).row);
    return rows;
  }

  async run(
    plan: Transaction<object, never, never, Reply> | object,
    channel: Caller["channel"] = "mcp",
  ): Promise<Reply> {
    const { reply } = await runTransaction(
      this.runtime,
      plan as Transaction<object, unknown, unknown, Reply>,
      {},
      { channel },
    );
    return reply;
  }

  /** A person at a terminal says yes to what `pawl repair` asks. */
  async accept(): Promise<Reply> {
    const input = { id: "main" };
    const caller = { channel: "terminal" } as const;
    const { ask } = await runTransaction(this.runtime, acceptState, input, caller);
    if (ask === undefined) throw new Error("nothing is asked");
    return (await runTransaction(this.runtime, acceptState, input, caller, { to: ask })).reply;
  }

  /** A file below `.ai/task/`, or with a leading slash below the root. */
  at(name: string): string {
    return name.startsWith("/") ? join(this.root, name) : join(this.root, ".ai/task", name);
  }

  write(name: string, text: string | Buffer): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), text);
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.at(name));
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true });
  }

  list(name: string): readonly string[] {
    return existsSync(this.at(name)) ? readdirSync(this.at(name)).sort() : [];
  }

  /** The paths of all files below a folder. */
  files(name: string): readonly string[] {
    const entries = readdirSync(this.at(name), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return paths.map((path) => relative(this.at(name), path)).sort();
  }

  /** Sets the state, as git brings it to a clone: without a log. */
  state(current_state: string, context: object = {}): void {
    rmSync(join(this.root, LOG), { force: true });
    this.write("state.json", JSON.stringify({ current_state, context, history: [] }));
  }

  stateFile(): {
    current_state: string;
    context: Record<string, unknown>;
    history: Record<string, string>[];
  } {
    return JSON.parse(this.read("state.json"));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
