/**
 * Journals that somebody else has written, wholly or in part, on the simulated machine: whoever opens the project next,
 * reading or committing, and dying at any call of it, does nothing of what they say, and keeps a copy of it.
 */

import { FIRST, type Head, renderRecord } from "../../src/adapters/files/journal/record.ts";
import type { Step } from "../../src/adapters/files/journal/steps.ts";
import { PawlError } from "../../src/core/error.ts";
import { projectPath } from "../../src/core/path.ts";
import { open, show } from "./scenario.ts";
import { append, write } from "./shapes.ts";
import { STATE_HOME } from "./sim-disk.ts";
import { Machine } from "./sim-machine.ts";
import type { Report } from "./simulation.ts";

const HASH = "e".repeat(64);
const EVIL = "evil text";
const put = (path: string, more: object = {}): Step => ({
  type: "put",
  path,
  before: null,
  after: HASH,
  text: EVIL,
  ...more,
});

interface Own {
  readonly key: Uint8Array;
  /** Where the journal stands. */
  readonly head: Head;
  /** The bytes of each record. */
  readonly records: readonly Buffer[];
  /** A journal that was trimmed before. */
  readonly earlier: Buffer;
}

interface Forgery {
  readonly name: string;
  /** The whole journal. */
  journal(own: Own): Buffer;
  /** It is this project's own text in another order: `journal-damaged` is an answer. */
  readonly mayBeDamaged?: true;
}

const all = ({ records }: Own) => Buffer.concat(records);
const start = (epoch: number): Head => ({ epoch, sequence: 0, mac: FIRST });
const OTHER_KEY = new Uint8Array(32).fill(9);

/** A record by this project's key that only its steps betray. */
function behind(own: Own, step: Step): Buffer {
  return Buffer.concat([all(own), renderRecord(own.key, own.head, [step]).bytes]);
}

const FORGERIES: readonly Forgery[] = [
  {
    name: "with another key, in place of ours",
    journal: ({ head }) => renderRecord(OTHER_KEY, start(head.epoch), [put("evil.md")]).bytes,
  },
  {
    name: "with another key, behind ours",
    journal: (own) => Buffer.concat([all(own), renderRecord(OTHER_KEY, own.head, [put("evil.md")]).bytes]),
  },
  {
    name: "ours, of a journal that was trimmed",
    journal: ({ earlier }) => earlier,
  },
  {
    name: "ours, but behind another record",
    journal: (own) => {
      const { bytes } = renderRecord(own.key, { ...own.head, mac: HASH }, [put("evil.md")]);
      return Buffer.concat([all(own), bytes]);
    },
    mayBeDamaged: true,
  },
  {
    name: "ours, without the first",
    journal: ({ records }) => Buffer.concat(records.slice(1)),
    mayBeDamaged: true,
  },
  ...["../evil.md", "/evil.md", ".git/hooks/post-checkout", "a/.GiT/config", ".pawl/locks/evil"].map(
    (path): Forgery => ({ name: `with our key, at ${path}`, journal: (own) => behind(own, put(path)) }),
  ),
  {
    name: "with our key, lending rights",
    journal: (own) => behind(own, put("evil.md", { mode: 0o4755 })),
  },
];

/** A project with three commits in its journal that count and are not known to be applied. */
async function attacked(): Promise<{ machine: Machine; own: Own }> {
  const machine = new Machine();
  machine.save("readme.md", "theirs\n", "in-place");
  const store = open(machine);
  const commit = async (...changes: Parameters<typeof store.commit>[1]) => {
    if ((await store.commit(store.view(), changes)) !== "committed") throw new Error("not committed");
  };
  await commit(write("old.md", EVIL));
  const earlier = bytesAt(machine, ".pawl/journal");
  await commit({ type: "remove", path: projectPath("old.md") });
  await store.settle();
  const ends: number[] = [];
  for (const n of [1, 2, 3]) {
    await commit(write("a.md", `${n}\n`), append(".pawl/events.jsonl", `e${n}`));
    ends.push(bytesAt(machine, ".pawl/journal").length);
  }
  const bytes = bytesAt(machine, ".pawl/journal");
  const records = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  const last = records.at(-1)?.toString("latin1").split("\n")[0]?.split(" ") ?? [];
  const head = { epoch: Number(last[2]), sequence: Number(last[3]), mac: last[7] ?? "" };
  return { machine, own: { key: bytesAt(machine, `${STATE_HOME}/key`), head, records, earlier } };
}

function bytesAt(machine: Machine, path: string): Buffer {
  const file = machine.find(path);
  if (file?.kind !== "file") throw new Error(`there is no ${path}`);
  return file.bytes;
}

export async function forge(report: Report): Promise<void> {
  for (const forgery of FORGERIES) {
    const { machine, own } = await attacked();
    const folder = machine.folder(".pawl");
    const file = machine.create(folder, "journal", "file", 0o644);
    if (file.kind === "file") machine.write(file, 0, forgery.journal(own));
    for (const { id } of [file, folder]) machine.sync(id);
    // A restart: how far the journal is applied must be found out anew.
    machine.cutPower(() => true);
    let calls = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= calls + 1; at++) {
      report.points.set("forged journal", (report.points.get("forged journal") ?? 0) + 1);
      try {
        const copy = machine.clone();
        calls = await go(copy, at);
        await settled(copy, forgery);
      } catch (error) {
        report.failures.push(`forged journal ${forgery.name}, died at call ${at} · ${String(error)}`);
        break;
      }
    }
  }
}

/** A process that commits and dies at its call `at`; answers how many calls it made. */
async function go(machine: Machine, at: number): Promise<number> {
  let calls = 0;
  try {
    const store = open(machine, ({ index }) => {
      calls = index;
      return index === at ? "die" : undefined;
    });
    await store.commit(store.view(), [write("next.md", "next\n")]);
  } catch {}
  return calls;
}

/** What whoever comes next finds. */
async function settled(machine: Machine, { mayBeDamaged }: Forgery): Promise<void> {
  try {
    const store = open(machine);
    await store.view().read(projectPath("readme.md"));
    await store.commit(store.view(), [write("next.md", "next\n")]);
  } catch (error) {
    if (!(mayBeDamaged && error instanceof PawlError && error.code === "journal-damaged")) throw error;
  }
  const tree = machine.tree();
  const owned = [...tree].filter(([path, text]) => text === EVIL && !path.startsWith(".pawl/kept/"));
  if (owned.length > 0) throw new Error(`somebody else's commit was applied: ${show(new Map(owned))}`);
  if (!mayBeDamaged && ![...tree.values()].some((text) => text.includes(EVIL)))
    throw new Error("somebody else's commit was thrown away");
}
