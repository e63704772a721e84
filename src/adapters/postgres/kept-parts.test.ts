/** The parts that a mirror keeps: always those that a look at everything would find. */
import { describe, expect, it } from "vitest";
import { wholeOf } from "../../core/long-text.ts";
import { openKeptParts } from "./kept-parts.ts";
import { keptParts, partChanges } from "./parts.ts";

const PATH = "tasks.yaml";
const entry = (id: string, more = "") => `- id: ${id}\n  title: ${"x".repeat(300)}\n${more}`;
const list = (ids: readonly string[]) => `tasks:\n${ids.map((id) => entry(id)).join("")}`;
const ids = Array.from({ length: 80 }, (_, at) => `T${at}`);

/** Texts of the document, one written after the other; after each, what is remembered is compared with what is there. */
function remember(...texts: readonly (string | null)[]) {
  const kept = new Map<string, string>();
  const read = (path: string) => kept.get(path) ?? null;
  const parts = openKeptParts(read);
  for (const text of texts) {
    const changes = partChanges(PATH, text, read, parts.of(PATH)) ?? [{ path: PATH, text }];
    for (const each of changes) {
      if (each.text === null) kept.delete(each.path);
      else kept.set(each.path, each.text);
      parts.change(each.path, each.text);
    }
    expect(parts.of(PATH)).toEqual(keptParts(PATH, read));
    const wholes = [parts.text(PATH), openKeptParts(read).text(PATH)].map((each) => each && wholeOf(each));
    expect(wholes).toEqual([text, text]);
  }
  return { kept, parts };
}

describe("What is remembered of a document in parts", () => {
  const whole = list(ids);
  const edited = whole.replace(entry("T40"), entry("T40", "  status: done\n"));
  it.each([
    ["an entry that changes, twice", [whole, edited, whole]],
    ["one that comes, and one that goes", [list(ids.slice(1)), whole, list(ids.slice(0, 79))]],
    ["entries that change places", [whole, list([...ids].reverse())]],
    [
      "the same entry twice, of which one changes",
      [list([...ids, ...ids]), `${list([...ids, ...ids])}  x: y\n`],
    ],
    ["a text that becomes short, and long again", [whole, list(["T1"]), edited]],
    ["a document that is removed, and made again", [whole, null, edited]],
    ["a name that is renamed", [whole, whole.replace("- id: T7\n", "- id: T700\n")]],
  ])("is what is there: %s", (_, texts) => {
    remember(...texts);
  });

  it("of another document stays, and all of it goes where everything is read anew", () => {
    const { kept, parts } = remember(whole);
    const before = parts.of(PATH);
    parts.change("other.yaml", "x");
    parts.change(".pawl/parts/of-another/part", "x");
    expect(parts.of(PATH)).toBe(before);
    kept.clear();
    parts.clear();
    expect([parts.of(PATH), parts.text(PATH)]).toEqual([null, null]);
  });
});
