import { describe, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { KINDS, World } from "../../../test/rig/repository-kinds.ts";
import { NO_WALL } from "../../../test/rig/wall.ts";

/** One in four, with the wall or without it, as the commit's seed says: `repositories.proof.test.ts` runs all twice. */
const seed = Number(process.env.PAWL_TEST_SEED);
const rows = KINDS.flatMap((kind, at) =>
  (seed + at) % 4 === 0 ? [{ ...kind, walled: (seed + at) % 8 === 0 && !NO_WALL }] : [],
);

describe("a task's life in a repository that is or has", () => {
  it.each(rows)("$is (wall: $walled)", { timeout: 120_000 }, async ({ run, walled }) => {
    promise("git.any-repository");
    using world = new World(walled);
    await run(world);
  });
});
