import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { inBursts } from "./bursts.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** Asks for half a minute, every tenth of a second or so often. `takes`: how long an answer takes, in milliseconds. */
async function asked(takes: number, every = 100) {
  let answers = 0;
  let begun = 0;
  const bursts = inBursts(async () => {
    answers += 1;
    begun = performance.now();
    await new Promise<void>((answered) => setTimeout(answered, takes));
  });
  bursts.ask();
  const first = answers;
  for (let passed = 0; passed < 30_000; passed += every) {
    bursts.ask();
    await passes(every);
  }
  bursts.ask();
  const last = performance.now();
  return { answers, bursts, count: () => answers, first, isLastShown: () => begun >= last };
}

describe("a page that asks again with each event", () => {
  it("asks at once for the first, and soon for the others if an answer costs nothing", async () => {
    promise("board.bursts");
    const { answers, first } = await asked(1);
    expect(first).toBe(1);
    expect(answers).toBeGreaterThan(100);
  });

  it("takes a small share of the time of a server for which an answer is work, and still shows the last", async () => {
    promise("board.bursts");
    const { answers, count, isLastShown } = await asked(40);
    // Half a second of its time is more than its share, for once.
    expect((answers * 40 - 500) / 30_000).toBeLessThan(0.05);
    expect(answers).toBeGreaterThan(20);
    await passes(5000);
    expect(isLastShown()).toBe(true);
    const shown = count();
    await passes(20_000);
    expect(count()).toBe(shown);
  });

  it("asks at once for each event if these come seldom, also if an answer is work", async () => {
    promise("board.bursts");
    const { answers } = await asked(40, 1000);
    expect(answers).toBeGreaterThan(30);
    expect((await asked(20, 400)).answers).toBeGreaterThan(75);
  });

  it("never rests for longer than some seconds, and asks nothing more once it is left", async () => {
    promise("board.bursts");
    const { answers, bursts, count } = await asked(2000);
    expect(answers).toBeGreaterThanOrEqual(4);
    bursts.stop();
    const left = count();
    bursts.ask();
    await passes(20_000);
    expect(count()).toBe(left);
  });
});
