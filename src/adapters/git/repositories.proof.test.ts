import { describe, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { KINDS, World } from "../../../test/rig/repository-kinds.ts";
import { NO_WALL } from "../../../test/rig/wall.ts";

describe.each([
  ["with the wall", true],
  ["without it", false],
] as const)("a task's life, %s, in a repository that is or has", (_, walled) => {
  it.skipIf(walled && NO_WALL).each(KINDS)("$is", { timeout: 120_000 }, async ({ run }) => {
    promise("git.any-repository");
    using world = new World(walled);
    await run(world);
  });
});
