/** What is broken for `mutants.ts`, one thing at a time, and what the proof over a network must say of it. */
import type { Edit } from "../rig/broken-copy.ts";

export interface BrokenPromise {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly args?: readonly string[];
  /** What the proof must say. */
  readonly says: RegExp;
}

export const BROKEN_PROMISES: readonly BrokenPromise[] = [
  {
    name: "a worker that cannot renew its lease goes on",
    edits: [
      {
        file: "src/adapters/postgres/held-leases.ts",
        find: "const sure = (2 * lasting) / 3;",
        replace: "const sure = 100 * lasting;",
      },
    ],
    says: /is alive, the lease of/,
  },
  {
    name: "nobody listens to a connection on loan",
    edits: [
      { file: "src/adapters/postgres/connections.ts", find: 'client.on("error", broke);', replace: "" },
    ],
    says: /ended by itself/,
  },
  {
    name: "the database acknowledges what its replica lacks",
    edits: [],
    args: ["--asynchronous"],
    says: /was told that this is kept, and it is gone/,
  },
];
