import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { WorkerEntry, WorkerLocation, Workers } from "../../core/ports/workers.ts";
import { openWorkersHere } from "./workers-here.ts";

const OWN: WorkerEntry = { name: "one", host: "here", version: "1", labels: [], capacity: 1 };

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-here-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Notes what is called, in order. */
function opened(allEnded: boolean) {
  const called: unknown[] = [];
  const workers = {
    register: async (_: WorkerEntry, at?: WorkerLocation) => {
      called.push(at);
      return { lasting: 1, beat: async () => "go-on", leave: async () => {} };
    },
  } as unknown as Workers;
  const here = openWorkersHere(workers, root, "place", async () => {
    called.push("ends what is left");
    return allEnded;
  });
  return { here, called };
}

describe("A worker that is alone by its name in its checkout", () => {
  it.each([true, false])(
    "has what a dead one left ended before it has that one's leases ended: %s",
    async (allEnded) => {
      promise("machines.ends-first");
      const { here, called } = opened(allEnded);
      await here.register(OWN);
      expect(called).toEqual(["ends what is left", { place: "place", isAlone: allEnded }]);
      // The name is taken now.
      await opened(true).here.register(OWN);
      expect(called).toHaveLength(2);
    },
  );

  it("is not alone if one of its name is alive: nothing is ended", async () => {
    promise("machines.ends-first");
    await opened(true).here.register(OWN);
    const { here, called } = opened(true);
    await here.register(OWN);
    expect(called).toEqual([{ place: "place", isAlone: false }]);
  });
});
