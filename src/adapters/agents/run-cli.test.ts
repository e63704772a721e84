import { expect, it } from "vitest";
import { gitFoldersOf } from "./run-cli.ts";

it("an agent's own sandbox is opened for git in a workspace, also below its top, and in no person's checkout", () => {
  const top = "/home/ada/.local/state/pawl/work/shop-1f9c27e0ab/@project/fix";
  expect(gitFoldersOf({ agentPath: top })).toEqual([`${top}/.git`]);
  expect(gitFoldersOf({ agentPath: `${top}/packages/app` })).toEqual([`${top}/.git`]);
  expect(gitFoldersOf({ agentPath: "/home/ada/shop" })).toEqual([]);
});
