import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { AWKWARD, LENGTH } from "./rig/awkward.ts";
import { PARSERS, YAML_PARSERS } from "./rig/text-parsers.ts";
import { YAML_TEXTS } from "./rig/yaml-texts.ts";

/** Of the processor's own time, so that a busy machine changes nothing. */
const LIMIT = 2_000;
const TRIES = 4;
/** One that is still at it by then is ended. */
const PATIENCE = 60_000;

interface Took {
  readonly milliseconds: number;
  /** What was thrown that is none of Pawl's own errors. */
  readonly thrown: string | null;
}

let worker: Worker | null = null;

function parse(name: string, text: string): Promise<Took> {
  worker ??= new Worker(new URL("rig/text-parsers.ts", import.meta.url));
  const at = worker;
  return new Promise((resolve) => {
    const end = (took: Took, isLost = false) => {
      clearTimeout(timer);
      at.off("message", end);
      at.off("error", lost);
      if (isLost) {
        worker = null;
        void at.terminate();
      }
      resolve(took);
    };
    const lost = (cause: Error) =>
      end({ milliseconds: 0, thrown: `the worker ended: ${cause.message}` }, true);
    const timer = setTimeout(() => end({ milliseconds: PATIENCE, thrown: null }, true), PATIENCE);
    at.on("message", end);
    at.on("error", lost);
    at.postMessage({ name, text });
  });
}

/** What a busy machine adds is not the parser's: the best of some tries counts. */
async function quickestOf(parser: string, text: string): Promise<Took> {
  let best = await parse(parser, text);
  for (let again = 0; again < TRIES && best.milliseconds > LIMIT && best.milliseconds < PATIENCE; again++) {
    const next = await parse(parser, text);
    if (next.milliseconds < best.milliseconds) best = next;
  }
  return best;
}

afterAll(() => worker?.terminate());

describe("one megabyte of each awkward character and sequence", () => {
  it("is what the parsers are fed", () => {
    for (const [name, text] of Object.entries({ ...AWKWARD, ...YAML_TEXTS })) {
      expect(text.length, name).toBeGreaterThanOrEqual(LENGTH);
      expect(text.length, name).toBeLessThan(LENGTH + 200);
    }
  });

  it.each(Object.keys(PARSERS))(
    "is read within two seconds, or refused in Pawl's own words: %s",
    {
      timeout: 600_000,
    },
    async (parser) => {
      const bad: string[] = [];
      const texts = Object.hasOwn(YAML_PARSERS, parser) ? { ...AWKWARD, ...YAML_TEXTS } : AWKWARD;
      for (const [name, text] of Object.entries(texts)) {
        const { milliseconds, thrown } = await quickestOf(parser, text);
        if (milliseconds > LIMIT) bad.push(`${name}: ${Math.round(milliseconds)} ms`);
        if (thrown !== null) bad.push(`${name}: ${thrown}`);
      }
      expect(bad).toEqual([]);
    },
  );
});
