import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { protectedIn } from "../guard/protected-places.ts";
import { workflowPlaces } from "./workflow-places.ts";

it("the texts of an own workflow are protected as its file is", () => {
  promise("guard.protected");
  const root = mkdtempSync(join(tmpdir(), "pawl-texts-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "flows"));
  writeFileSync(join(root, "release.yaml"), "title: Release\nreplies: ./texts/release/\n");
  writeFileSync(join(root, "flows/fix.yaml"), "extends: release\n");
  const workflows = workflowPlaces(root, ["./release.yaml", "flows/fix.yaml"]);
  const isProtected = (path: string) => protectedIn(path, { tasksFile: "tasks.yaml", workflows }) !== null;
  const closed = ["release.yaml", "texts/release/approved.md", "flows/fix.yaml", "flows/fix/review.md"];
  expect(closed.filter((path) => !isProtected(path))).toEqual([]);
  expect(["texts/other.md", "flows/other.yaml", "release/x.md"].filter(isProtected)).toEqual([]);
});
