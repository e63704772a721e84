/** What an agent's program prints, in every dialect. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { claude } from "../../../src/adapters/agents/dialects/claude.ts";
import { codex } from "../../../src/adapters/agents/dialects/codex.ts";
import { parseLine } from "../../../src/adapters/agents/dialects/dialect.ts";
import { gemini } from "../../../src/adapters/agents/dialects/gemini.ts";
import { opencode } from "../../../src/adapters/agents/dialects/opencode.ts";
import { applyLine, judge, NO_OUTPUT } from "../../../src/adapters/agents/heard.ts";
import type { Target } from "../target.ts";

const FOLDER = resolve(import.meta.dirname, "../../../src/adapters/agents/streams");
const WELL = { ending: "itself", why: "", code: 0, signal: null, errors: "" } as const;

export const streams: Target = {
  name: "streams",
  seeds: readdirSync(FOLDER).flatMap((name) =>
    readFileSync(join(FOLDER, name), "utf8").trim().split("\n").slice(0, 8),
  ),
  run(bytes) {
    for (const dialect of [claude, codex, opencode, gemini]) {
      let heard = NO_OUTPUT;
      for (const line of Buffer.from(bytes).toString("utf8").split("\n")) {
        const json = parseLine(line);
        if (json) heard = applyLine(heard, dialect.read(json), null).output;
      }
      judge(heard, WELL, dialect.failureOf);
    }
  },
};
