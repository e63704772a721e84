/** What the board's page weighs: the first view is loaded over and over, the rest only when it is asked for. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PAGE } from "../rig/board/server.ts";
import { promise } from "../rig/promise.ts";

const MAX_BYTES = 120 * 1024;

describe("the board's page", () => {
  const index = readFileSync(join(PAGE, "index.html"), "utf8");

  it("shows its first view with no more than 120 KB, compressed, programs and style together", () => {
    promise("board-page.first-view");
    const first = reached([...index.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name));
    expect(first.length).toBeGreaterThan(3);
    const bytes = first.reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(PAGE, name))).length,
      index.length,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it("loads the review, the graphs and the other pages later", () => {
    const first = reached([...index.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name));
    const all = readdirSync(join(PAGE, "assets")).map((name) => `assets/${name}`);
    const later = all.filter((name) => !first.includes(name)).join(" ");
    for (const part of ["layout", "tasks", "runs", "cost"]) expect(later).toContain(`assets/${part}-`);
  });

  it("has no script and no style in its markup, and asks no other host for anything", () => {
    promise("board-page.first-view");
    expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
    const texts = readdirSync(join(PAGE, "assets")).map((name) =>
      readFileSync(join(PAGE, "assets", name), "utf8"),
    );
    const hosts = texts.flatMap(
      (text) => text.match(/https?:\/\/(?!www\.w3\.org\/|simplewebauthn\.dev\/)[\w.-]+/g) ?? [],
    );
    expect(hosts).toEqual([]);
    expect(texts.filter((text) => /@import\s*(?:url|["'])|url\(\s*["']?https?:/.test(text))).toEqual([]);
  });
});

/** With what each of them imports at once. */
function reached(names: readonly string[], seen = new Set<string>()): readonly string[] {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(join(PAGE, name), "utf8");
    const imports = [...text.matchAll(/(?:\bfrom|\bimport)\s*"\/(assets\/[^"]+)"/g)].map(
      ([, next = ""]) => next,
    );
    reached(imports, seen);
  }
  return [...seen];
}
