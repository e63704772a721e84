/** What is kept of a workflow's runs between two looks of the board. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStore } from "../../src/adapters/files/store.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Memory } from "../../src/core/ports/memory.ts";
import { fileSource } from "../../src/workflows/custom/load.ts";
import { overview } from "../../src/workflows/custom/overview.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseReady } from "../rig/release-project.ts";
import { stateOf, useScratchStateHome } from "../rig/state-home.ts";

let forget = () => {};
beforeEach(() => {
  forget = useScratchStateHome();
});
afterEach(() => forget());

it("is a run's entry, as long as its files and its definition are the same", async () => {
  promise("board-page.first-view");
  using project = releaseReady();
  await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
  const store = openStore({ root: project.root, state: stateOf(project.root), packaged: async () => null });
  const known = new Map<string, unknown>();
  let made = 0;
  const memory: Memory = {
    async recall(key, view, make) {
      if (!known.has(key)) {
        made += 1;
        known.set(key, await make(view));
      }
      return known.get(key) as Awaited<ReturnType<typeof make>>;
    },
  };
  const source = fileSource({ name: "release", file: projectPath("release.yaml") });
  const look = async () => (await overview(source, store.view(), { memory }))[0]?.next;
  expect([await look(), await look(), made]).toEqual([
    "approve or reject the release",
    "approve or reject the release",
    1,
  ]);
  change(project, "release.yaml", "approve or reject the release", "read the release");
  expect([await look(), made]).toEqual(["read the release", 2]);
  expect(await overview(source, store.view(), { memory, only: "none" })).toEqual([]);
});
