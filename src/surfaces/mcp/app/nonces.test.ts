import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { MAX_NONCES, NONCE_LIFETIME, type NonceOptions, openNonces } from "./nonces.ts";

const PLAN = { run: "alfred:TS-01", version: "v1" };

function counted() {
  const clock = { time: 0 };
  let words = 0;
  const options: NonceOptions = { now: () => clock.time, word: () => `word-${++words}` };
  return { clock, options };
}

describe("a nonce of a review", () => {
  it("counts once", () => {
    promise("mcp.app-verdict");
    const nonces = openNonces(counted().options);
    const nonce = nonces.issue(PLAN);
    expect([nonces.take(nonce, PLAN), nonces.take(nonce, PLAN)]).toEqual([true, false]);
  });

  it.each([
    ["another run", { ...PLAN, run: "alfred:TS-02" }],
    ["another version", { ...PLAN, version: "v2" }],
  ])("does not count for %s, and afterwards for none", (_, other) => {
    promise("mcp.app-verdict");
    const nonces = openNonces(counted().options);
    const nonce = nonces.issue(PLAN);
    expect([nonces.take(nonce, other), nonces.take(nonce, PLAN)]).toEqual([false, false]);
  });

  it("does not count on another connection, nor if nobody issued it", () => {
    promise("mcp.app-verdict");
    const { options } = counted();
    const nonce = openNonces(options).issue(PLAN);
    expect(openNonces(options).take(nonce, PLAN)).toBe(false);
    expect(openNonces(options).take("", PLAN)).toBe(false);
  });

  it("counts until its time is over", () => {
    promise("mcp.app-verdict");
    const { clock, options } = counted();
    const nonces = openNonces(options);
    const [early, late] = [nonces.issue(PLAN), nonces.issue(PLAN)];
    clock.time = NONCE_LIFETIME - 1;
    expect(nonces.take(early, PLAN)).toBe(true);
    clock.time = NONCE_LIFETIME;
    expect(nonces.take(late, PLAN)).toBe(false);
  });

  it("stays one of few: of too many the oldest go", () => {
    promise("mcp.app-verdict");
    const nonces = openNonces(counted().options);
    const first = nonces.issue(PLAN);
    const others = Array.from({ length: MAX_NONCES }, () => nonces.issue(PLAN));
    expect(nonces.take(first, PLAN)).toBe(false);
    expect(others.every((nonce) => nonces.take(nonce, PLAN))).toBe(true);
  });
});
