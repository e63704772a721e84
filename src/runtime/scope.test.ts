import { expect, test } from "vitest";
import { PawlError } from "../core/error.ts";
import { scopeOr } from "./scope.ts";

test("a run whose state does not count has a scope in which nothing may be written, with how to mend it", async () => {
  const held = new PawlError("state-tampered", "It was edited.", "Put it back.");
  expect(await scopeOr("a:1", () => Promise.reject(held))).toMatchObject({
    ...{
      run: "a:1",
      state: "unreadable",
      writes: "none",
      planFiles: [],
      next: "Put it back.",
      awaits: "human",
    },
  });
  expect(await scopeOr("a:1", async () => null)).toBeNull();
  await expect(scopeOr("a:1", () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
});
