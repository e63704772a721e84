import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { Remark } from "../../core/ports/reviews.ts";
import { renderComments } from "./comments-file.ts";

const HUNK = "@@ -10,5 +10,6 @@ function sort() {\n a();\n-b();\n+b(1);\n+c();\n d();\n e();";

function commentsOf(...given: readonly Partial<Remark>[]): string {
  const remarks = given.map(
    (each): Remark => ({
      part: "review-comments",
      author: "ann",
      url: "https://forge.example/1",
      text: "Why?",
      time: "2026-01-02T03:04:05Z",
      file: "a.ts",
      hunk: HUNK,
      ...each,
    }),
  );
  const pull = { repository: "acme/app", number: 7, title: "T", url: "u", branch: "b" };
  return renderComments(
    { kind: "fetched", pull, remarks, threads: "known", missing: null, failure: null },
    "now",
  );
}

test("a comment on several lines names them, and is followed by what it is about", () => {
  promise("spells.places");
  const text = commentsOf({ startLine: 11, line: 12 });
  expect(text).toContain("### 1. ann: `a.ts:11-12`\n");
  expect(text).toContain("About:\n\n```diff\n a();\n-b();\n+b(1);\n+c();\n```");
});

test("a comment on removed lines says so: they are not those of the present file", () => {
  promise("spells.places");
  const text = commentsOf({ line: 11, side: "former", outdated: true });
  expect(text).toContain("### 1. ann: `a.ts:11`\n\non lines that the change removes · outdated · 2026");
  expect(text).toContain("About, as it was then:\n\n```diff\n a();\n-b();\n```");
});

test("a range from a removed line to an added one names each in its own file", () => {
  promise("spells.places");
  const text = commentsOf({ startLine: 11, startSide: "former", line: 12, text: "```suggestion\nx\n```" });
  expect(text).toContain("### 1. ann: `a.ts:12`\n\nfrom line 11 of the former file · 2026");
  expect(text).toContain("About:\n\n```diff\n a();\n-b();\n+b(1);\n+c();\n```");
  expect(text).not.toContain("Suggested");
  expect(commentsOf({ startLine: 10, startSide: "present", line: 11, side: "former" })).toContain(
    "`a.ts:11`\n\nfrom line 10 of the changed file · to line 11 of the former file · 2026",
  );
});

test("a suggestion is shown as a diff, whichever way its forge counts the lines", () => {
  promise("spells.places");
  const body = (head: string) => `Better:\n\`\`\`${head}\nb(2);\n\`\`\`\nOr not.`;
  const one = "Suggested:\n\n```diff\n-c();\n+b(2);\n```";
  const two = "Suggested:\n\n```diff\n-b(1);\n-c();\n+b(2);\n```";
  expect(commentsOf({ line: 12, text: body("suggestion") })).toContain(one);
  expect(commentsOf({ startLine: 11, line: 12, text: body("suggestion") })).toContain(two);
  expect(commentsOf({ line: 12, text: body("suggestion:-1+0") })).toContain(two);
  expect(commentsOf({ line: 12, text: "```suggestion\n```" })).toContain("```diff\n-c();\n```");
  // The hunk does not have all of the lines; or the text only speaks of it.
  for (const text of [body("suggestion:-9+0"), "a ```suggestion``` is fine"])
    expect(commentsOf({ line: 12, text })).not.toContain("Suggested");
});

test("comments of resolved threads are left out and counted, and those of programs are marked", () => {
  promise("spells.places");
  const text = commentsOf({ line: 11, resolved: true, text: "Settled." }, { resolved: false, bot: true });
  expect(text).toContain("One comment of a resolved thread is left out.");
  expect(text).not.toContain("Settled.");
  expect(text).toContain("### 1. ann: `a.ts`\n\nbot · open · ");
  expect(commentsOf({ resolved: true })).not.toContain("has no comments");
});

test("a repository that was renamed is said to be", () => {
  promise("forge.renamed");
  const pull = { repository: "acme/app", former: "old/name", number: 7, title: "T", url: "u", branch: "b" };
  const text = renderComments(
    { kind: "fetched", pull, remarks: [], threads: "known", missing: null, failure: null },
    "now",
  );
  expect(text).toContain("\n\nThe remote names old/name, which is acme/app now.\n\n");
  expect(commentsOf()).not.toContain("The remote names");
});

test("an answer is about the same, and a hunk that cannot be read stands for nothing", () => {
  expect(commentsOf({ line: 11, reply: true })).not.toContain("About");
  expect(commentsOf({ line: 11, hunk: "Binary files differ" })).not.toContain("About");
});
