/** Differences as git writes them, coloured as the server colours them. */
import type { Colours, FileDiff } from "../../../src/surfaces/board/wire.ts";

const BEFORE = `import { now } from "../clock.ts";

/** Counts requests by address. */
export class RateLimit {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limit: number) {}

  allows(address: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    this.#counts.set(address, count + 1);
    return count < this.limit;
  }

  reset(): void {
    this.#counts.clear();
  }
}
`.split("\n");
const AFTER = `import { now } from "../clock.ts";
import type { Window } from "../store/window.ts";

/** Counts requests by customer, in a window that slides. */
export class RateLimit {
  readonly #window: Window;

  constructor(window: Window, private readonly limit: number) {
    this.#window = window;
  }

  async allows(customer: string, address: string): Promise<boolean> {
    const key = customer === "" ? \`address \${address}\` : customer;
    const count = await this.#window.count(key, now());
    return count < this.limit;
  }
}
`.split("\n");

const RATE_LIMIT = `diff --git a/src/http/rate-limit.ts b/src/http/rate-limit.ts
--- a/src/http/rate-limit.ts
+++ b/src/http/rate-limit.ts
@@ -1,18 +1,17 @@
 import { now } from "../clock.ts";
+import type { Window } from "../store/window.ts";
 
-/** Counts requests by address. */
+/** Counts requests by customer, in a window that slides. */
 export class RateLimit {
-  readonly #counts = new Map<string, number>();
+  readonly #window: Window;
 
-  constructor(private readonly limit: number) {}
+  constructor(window: Window, private readonly limit: number) {
+    this.#window = window;
+  }
 
-  allows(address: string): boolean {
-    const count = this.#counts.get(address) ?? 0;
-    this.#counts.set(address, count + 1);
+  async allows(customer: string, address: string): Promise<boolean> {
+    const key = customer === "" ? \`address \${address}\` : customer;
+    const count = await this.#window.count(key, now());
     return count < this.limit;
   }
-
-  reset(): void {
-    this.#counts.clear();
-  }
 }
`;

/** Enough of a highlighter for a picture. */
function colour(line: string): Colours {
  const parts: [number, string][] = [];
  const words =
    /(\/\*\*.*\*\/|\/\/.*)|("[^"]*"|`[^`]*`)|\b(import|export|class|readonly|constructor|private|return|const|async|await|from|type|new)\b|\b([A-Z]\w+)\b|\b(\d+)\b/g;
  let at = 0;
  for (const found of line.matchAll(words)) {
    const names = ["comment", "string", "keyword", "type", "number"];
    const name = names[found.slice(1).findIndex((part) => part !== undefined)] ?? "";
    if (found.index > at) parts.push([found.index - at, ""]);
    parts.push([found[0].length, name]);
    at = found.index + found[0].length;
  }
  if (at < line.length) parts.push([line.length - at, ""]);
  return parts;
}

export function diffOf(path: string): FileDiff {
  const plain = { path, leftOut: 0, isBinary: false, colours: null };
  if (path.endsWith(".png")) return { ...plain, patch: "", isBinary: true };
  if (path === "src/http/rate-limit.ts")
    return { ...plain, patch: RATE_LIMIT, colours: { before: BEFORE.map(colour), after: AFTER.map(colour) } };
  return { ...plain, patch: generated(path, 24, path.length) };
}

/** A patch of about so many lines. */
export function generated(path: string, lines: number, seed = 1): string {
  const rows: string[] = [];
  let [before, after] = [0, 0];
  for (let at = 0; at < lines; at++) {
    const text = `  const value${at} = compute(${(at * 7 + seed) % 31}, "of ${path}", ${"x".repeat((at * 13) % 40)});`;
    const kind = at % 9;
    if (kind === 4) {
      rows.push(`-${text}`);
      before++;
    } else if (kind === 5 || kind === 6) {
      rows.push(`+${text.replace("compute", "measure")}`);
      after++;
    } else {
      rows.push(` ${text}`);
      before++;
      after++;
    }
  }
  return `diff --git a/${path} b/${path}\n@@ -1,${before} +1,${after} @@\n${rows.join("\n")}\n`;
}
