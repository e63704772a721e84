import { expect, it } from "vitest";
import { temporaryProject } from "../rig/project.ts";

it("`pawl watch` says that it needs a terminal, and what prints into pipes", async () => {
  using project = temporaryProject();
  expect(await project.pawl("watch")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/needs a terminal.*\[terminal-missing\]\nfix:.*pawl status/s),
  });
});
