import { createHash, createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.resetModules());

const KEY = new Uint8Array(32).fill(7);
const TEXTS = ["", "a", "A \u2192 B", "\u{1F512}", "an unpaired \uD800 surrogate", "x".repeat(5000)];

describe("the hashes", () => {
  it("are the same before and after Node's own take over, in the store and in the core", async () => {
    vi.resetModules();
    const [{ hashOf, macOf }, { digestOf }] = await Promise.all([
      import("./hash.ts"),
      import("../../core/hash.ts"),
    ]);
    const all = () => TEXTS.map((text) => [hashOf(text), digestOf(text), macOf(KEY, text)]);
    const expected = TEXTS.map((text) => {
      const hash = createHash("sha256").update(text).digest("hex");
      return [hash, hash, createHmac("sha256", KEY).update(text).digest("hex")];
    });
    expect(all()).toEqual(expected);
    hashOf(new Uint8Array(1024 * 1024));
    expect(all()).toEqual(expected);
  });

  it("are made with the key that is given, however many were used before", async () => {
    vi.resetModules();
    const { hashNatively, macOf } = await import("./hash.ts");
    hashNatively();
    const keys = [KEY, new Uint8Array(32).fill(8), new Uint8Array(32).fill(7)];
    const twice = [...keys, ...keys];
    const expected = twice.map((key) => createHmac("sha256", key).update("a header").digest("hex"));
    expect(twice.map((key) => macOf(key, "a header"))).toEqual(expected);
  });
});
