import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { AWKWARD, LENGTH } from "./rig/awkward.ts";
import { promise } from "./rig/promise.ts";
import { PARSERS, REFERENCE, YAML_PARSERS } from "./rig/text-parsers.ts";
import { YAML_TEXTS } from "./rig/yaml-texts.ts";

/** Of the processor's own time, on a machine that needs a tenth of a second of it for the reference. */
const LIMIT = 2_000;
/** A machine that is slower, or shares its memory and caches with other work, may take as much longer. */
const LIMIT_IN_REFERENCES = 30;
const TRIES = 3;
/** One that is still at it by then is ended. */
const PATIENCE = 60_000;

/** `PAWL_PART=2/6`: every sixth parser, from the second on. */
const [PART = 1, PARTS = 1] = (process.env.PAWL_PART ?? "1/1").split("/").map(Number);
const CHOSEN = Object.keys(PARSERS).filter((_, index) => index % PARTS === PART - 1);

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

/** The best of some tries, and how long it may take: what a busy machine adds is not the parser's. */
async function quickestOf(parser: string, text: string): Promise<Took & { readonly limit: number }> {
  let best = await parse(parser, text);
  if (best.milliseconds <= LIMIT) return { ...best, limit: LIMIT };
  let limit = LIMIT;
  for (let again = 0; again < TRIES && best.milliseconds > limit && best.milliseconds < PATIENCE; again++) {
    const reference = await parse(REFERENCE, "");
    limit = Math.max(limit, LIMIT_IN_REFERENCES * reference.milliseconds);
    const next = best.milliseconds > limit ? await parse(parser, text) : best;
    if (next.milliseconds < best.milliseconds) best = next;
  }
  return { ...best, limit };
}

afterAll(() => worker?.terminate());

describe("one megabyte of each awkward character and sequence", () => {
  it("is what the parsers are fed", () => {
    for (const [name, text] of Object.entries({ ...AWKWARD, ...YAML_TEXTS })) {
      expect(text.length, name).toBeGreaterThanOrEqual(LENGTH);
      expect(text.length, name).toBeLessThan(LENGTH + 200);
    }
  });

  it.each(CHOSEN)(
    "is read within two seconds, or refused in Pawl's own words: %s",
    { timeout: 1_200_000 },
    async (parser) => {
      promise("yaml.linear", "text.linear", "import.bounded", "guard.shell");
      const bad: string[] = [];
      const texts = Object.hasOwn(YAML_PARSERS, parser) ? { ...AWKWARD, ...YAML_TEXTS } : AWKWARD;
      for (const [name, text] of Object.entries(texts)) {
        const { limit, milliseconds, thrown } = await quickestOf(parser, text);
        if (milliseconds > limit)
          bad.push(`${name}: ${Math.round(milliseconds)} ms, of at most ${Math.round(limit)}`);
        if (thrown !== null) bad.push(`${name}: ${thrown}`);
      }
      expect(bad).toEqual([]);
    },
  );
});
