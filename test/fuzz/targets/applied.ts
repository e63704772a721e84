/** The marker beside the key. */
import { readMarker } from "../../../src/adapters/files/journal/marker.ts";
import { nodeDisk } from "../../../src/adapters/files/node-disk.ts";
import type { ProjectKey } from "../../../src/adapters/files/project-key.ts";
import type { Target } from "../target.ts";

export const applied: Target = {
  name: "applied",
  seeds: [`pawl-applied 2 boot 1700000000000 4096 12 ${"a".repeat(64)} ${"b".repeat(16)}`],
  run(bytes, scratch) {
    const projectKey = { read: () => Buffer.from(bytes).toString("latin1") } as unknown as ProjectKey;
    readMarker(nodeDisk(scratch), projectKey);
  },
};
