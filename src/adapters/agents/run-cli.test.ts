import { expect, it } from "vitest";
import { gitFoldersOf } from "./run-cli.ts";

it("an agent's own sandbox is opened for git in a workspace, also below its top, and in no person's checkout", () => {
  const top = "/home/ada/.local/state/pawl/work/shop-1f9c27e0ab/@project/fix";
  expect(gitFoldersOf(top)).toEqual([`${top}/.git`]);
  expect(gitFoldersOf(`${top}/packages/app`)).toEqual([`${top}/.git`]);
  expect(gitFoldersOf("/home/ada/shop")).toEqual([]);
});
