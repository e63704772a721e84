/** A journal that somebody planted, in part with this project's own key. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  FIRST,
  parseJournal,
  parseUntrusted,
  renderRecord,
} from "../../../src/adapters/files/journal/record.ts";
import type { Step } from "../../../src/adapters/files/journal/steps.ts";
import { openStateFolder } from "../../../src/adapters/files/state-folder.ts";
import { openStore } from "../../../src/adapters/files/store.ts";
import { projectPath } from "../../../src/core/path.ts";
import type { Target } from "../target.ts";

const KEY = new Uint8Array(32).fill(7);
const HASH = "a".repeat(64);
const step = (path: string): Step => ({ type: "put", path, before: null, after: HASH, text: "text" });
const start = { epoch: 1, sequence: 0, mac: FIRST };
const one = renderRecord(KEY, start, [step("a.md"), step("../outside"), step(".git/hooks/x")]);
const two = renderRecord(KEY, one.head, [step("b.md"), { type: "drop", path: "c.md", before: HASH }]);
const EVERY = 40;
let runs = 0;

export const journal: Target = {
  name: "journal",
  seeds: [
    one.bytes,
    two.bytes,
    Buffer.concat([one.bytes, two.bytes]),
    `pawl-commit 2 1 1 12 ${HASH} ${HASH} ${HASH}
{"steps":[]}
`,
  ],
  async run(bytes, scratch) {
    parseJournal(bytes, { key: KEY, floor: 0 });
    parseJournal(bytes, { key: null, floor: 0 });
    parseUntrusted(bytes);
    runs++;
    if (runs % EVERY !== 0) return;
    const root = join(scratch, `project-${runs % (10 * EVERY)}`);
    const state = openStateFolder(join(scratch, "state"));
    state.make();
    writeFileSync(join(state.folder, "key"), KEY);
    mkdirSync(join(root, ".pawl"), { recursive: true });
    writeFileSync(join(root, ".pawl/journal"), bytes);
    const store = openStore({ root, state });
    await store.view().read(projectPath("a.md"));
    await store.commit(store.view(), [{ type: "write", path: projectPath("next.md"), text: "next" }]);
    await store.settle();
  },
};
