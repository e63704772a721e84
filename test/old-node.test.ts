import { expect, it } from "vitest";
import { oldNode } from "../scripts/old-node.ts";
import { promise } from "./rig/promise.ts";

it.each([
  ["npm/10.8.1 node/v20.16.0 linux x64 workspaces/false", true],
  ["npm/10.9.0 node/v22.11.0 linux x64", true],
  ["npm/10.9.0 node/v22.12.0 darwin arm64", false],
  ["npm/11.3.0 node/v24.1.0 linux x64", false],
  ["yarn", false],
])("a build on %s says that its Node is too old: %s", (agent, isOld) => {
  promise("package.old-node");
  expect(oldNode(agent) !== null).toBe(isOld);
});
