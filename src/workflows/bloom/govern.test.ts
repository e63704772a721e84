import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../core/settings.ts";
import { loopPolicy, loopSettings } from "./govern.ts";

const withSandbox = (sandbox: Partial<Settings["sandbox"]>): Settings => ({
  ...DEFAULT_SETTINGS,
  sandbox: { ...DEFAULT_SETTINGS.sandbox, ...sandbox },
});

it("a loop's wall stands as it is pinned: what loosens it does not count, what tightens it does", () => {
  promise("policy.pinned");
  const pinned = loopPolicy(withSandbox({ kind: "bwrap", network: "model", write: ["~/cache"] }));
  const after = (sandbox: Partial<Settings["sandbox"]>) => loopSettings(pinned, withSandbox(sandbox)).sandbox;
  const kept = { kind: "bwrap", network: "model", write: ["~/cache"], hosts: [], read: [] };
  expect(after({ kind: "none", network: "all", write: ["~/cache", "~/.ssh"] })).toEqual(kept);
  expect(after({ kind: "bwrap", network: "none", write: [] })).toMatchObject({ network: "none", write: [] });
  const present = withSandbox({ kind: "none" });
  expect(loopSettings(null, present)).toBe(present);
});
