import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { hashOf } from "../core/hash.ts";
import { canonical } from "../core/json.ts";
import type { View } from "../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../core/settings.ts";
import { storedTable } from "../runtime/run-log/history.ts";
import { WORKFLOWS } from "./index.ts";

/**
 * Records on disk name the table by which their steps were decided, and only steps under that very table are replayed. A
 * change of any word in a table changes its hash: make it knowingly, and say so in the changelog. From 1.0 on, a change of
 * Bloom's table must also say which hashes it replaces: a worker drains where it meets a run of a table that is not its own.
 */
const HASHES = {
  create_spec: "cddd747b15fd7e77",
  create_tasks_from_spec: "5225795cac5100d3",
  start_task: "0da0376abb79d68b",
  plan_task: "9869216e0f592b08",
  implement_task: "1123c8e15b766fed",
  review_task: "a83cf878da1fe9f2",
  test_task: "013a39780b8caedf",
  finalize_task: "ffa945a85be41c93",
  spells: "385b4a1cc63cc571",
  bloom: "2fd66790fc4da943",
};

it("keeps the tables by which runs on disk are replayed", async () => {
  promise("scope.no-part-of-the-table");
  const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  const tables = (await Promise.all(modules.map((module) => module.tables()))).flat();
  const hashes = await Promise.all(
    tables.map(async ({ workflow }) => {
      const hash = hashOf(canonical(storedTable(workflow)));
      return [workflow.name, hash.slice(0, 16)];
    }),
  );
  expect(Object.fromEntries(hashes)).toEqual(HASHES);
});

it("keeps the tables by which records of signed gates are replayed", async () => {
  promise("scope.no-part-of-the-table");
  const proofs = await Promise.all(
    Object.entries(WORKFLOWS).map(async ([name, load]) => {
      const base = { view: {} as View, settings: DEFAULT_SETTINGS };
      const proof = await (await load()).policy?.proof(base);
      return [name, proof?.tables.map((table) => table.slice(0, 16))];
    }),
  );
  expect(Object.fromEntries(proofs)).toEqual({
    alfred: ["d4e9d6428b9586d8"],
    spells: undefined,
    bloom: [HASHES.bloom],
  });
});
