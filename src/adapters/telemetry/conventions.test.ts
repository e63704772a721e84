/** The names that Pawl sends, against the semantic conventions as they are published. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";

const SOURCE = join(import.meta.dirname, "../..");
const PACKAGE = "@opentelemetry/semantic-conventions";

function sent(): readonly string[] {
  const telemetry = readdirSync(import.meta.dirname).filter((name) => !name.includes(".test."));
  const files = ["runtime/reports/trace.ts", ...telemetry.map((name) => `adapters/telemetry/${name}`)];
  return files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), "utf8").matchAll(/["`]((?:gen_ai|error|service)\.[^"`]*)["`]/g)].map(
      ([, name = ""]) => name,
    ),
  );
}

function published(prefix: RegExp): ReadonlySet<unknown> {
  return new Set(Object.entries(conventions).flatMap(([name, value]) => (prefix.test(name) ? [value] : [])));
}

describe("the names of attributes and metrics", () => {
  it("are those of the pinned version of the semantic conventions, which the documentation names", () => {
    promise("telemetry.names");
    const names = new Set(sent());
    const known = published(/^(ATTR|METRIC)_/);
    expect([...names].filter((name) => !known.has(name))).toEqual([]);
    for (const name of ["gen_ai.request.model", "gen_ai.operation.name", "gen_ai.client.token.usage"])
      expect(names).toContain(name);
    const { version } = createRequire(import.meta.url)(`../../../node_modules/${PACKAGE}/package.json`);
    const docs = readFileSync(join(SOURCE, "../docs/observability.md"), "utf8");
    expect(docs).toContain(`semantic conventions ${version}`);
  });

  it("have the published values for the operation, the kinds of tokens and the known providers", () => {
    promise("telemetry.names");
    const trace = readFileSync(join(SOURCE, "runtime/reports/trace.ts"), "utf8");
    const providers = /const PROVIDERS[^{]*\{([^}]*)\}/.exec(trace)?.[1] ?? "";
    const used = [...providers.matchAll(/: "([^"]*)"/g)].map(([, value]) => value);
    expect(used).toHaveLength(3);
    const known = published(/^GEN_AI_PROVIDER_NAME_VALUE_/);
    expect(used.filter((value) => !known.has(value))).toEqual([]);
    expect(trace).toContain(
      `"gen_ai.operation.name": "${conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT}"`,
    );
    expect(published(/^GEN_AI_TOKEN_TYPE_VALUE_/)).toEqual(new Set(["input", "output"]));
  });
});
