import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { type FailedEnd, isSameFailure, saysMuch } from "./same-failure.ts";

const end = (tail: string, exit: number | null = 1, folder = "/w/T1"): FailedEnd => ({
  ...{ exit, signal: null, ended: "itself", tail, folder },
});

const SUITE = `> shop@1.0.0 test
> node --test

✖ adds two prices (1.52 ms)
  AssertionError [ERR_ASSERTION]: 3 == 4
      at TestContext.<anonymous> (/FOLDER/test/cart.test.js:4:10)
ℹ tests 12
ℹ pass 11
ℹ fail 1
`;
const suite = (folder: string, text = SUITE) => end(text.replaceAll("/FOLDER", folder), 1, folder);

describe("A failure on the target and on a task's work", () => {
  it("is the same in another folder, with other times and numbers, and beside tests that the task adds", () => {
    promise("bloom.target-red");
    const more = SUITE.replace("tests 12", "tests 14").replace(
      "✖ adds",
      "✔ rounds (0.3 ms)\n✖ rounds up (0.2 ms)\n✖ adds",
    );
    expect(isSameFailure(suite("/w/T1"), suite("/base"))).toBe(true);
    expect(isSameFailure(suite("/w/T1", more), suite("/base"))).toBe(true);
    expect(isSameFailure(end("\u001b[31mno good\u001b[0m\n"), end("no good"))).toBe(true);
    expect(isSameFailure(end("bad: /w/T1/a.js"), end("bad: /base/a.js", 1, "/base"))).toBe(true);
    expect(isSameFailure(end(""), end("", 1, "/base"))).toBe(true);
  });

  it("is another one if the check is of what the task has yet to make", () => {
    promise("bloom.target-red");
    expect(isSameFailure(end("", 1), end("grep: a.txt: No such file or directory", 2))).toBe(false);
    expect(isSameFailure(end("3 == 4"), end("Error: Cannot find module '/base/new.js'", 1, "/base"))).toBe(
      false,
    );
    const missing = SUITE.replace("✖ adds two prices", "✖ new.test.js").replace(
      /AssertionError.*\n.*\n/,
      "Cannot find module\n",
    );
    expect(
      isSameFailure(suite("/w/T1"), suite("/base", `${missing}at Module._resolve\nat Module._load\n`)),
    ).toBe(false);
  });

  it("is known again only if enough is printed", () => {
    expect(saysMuch(suite("/w/T1"))).toBe(true);
    for (const text of ["", "bad", "bad\nworse\n\n3 4 5\n"]) expect(saysMuch(end(text))).toBe(false);
  });

  it("is not known by what Pawl adds to the output", () => {
    const remarks = "\n[pawl] In a fresh checkout, files are missing.\n[pawl] This ran behind the wall.";
    expect(isSameFailure(end(`one\ntwo\nmine${remarks}`), end(`one\ntwo${remarks}`))).toBe(false);
    expect(isSameFailure(end(`one\ntwo${remarks}`), end("one\ntwo"))).toBe(true);
    expect(saysMuch(end(`bad${remarks}`))).toBe(false);
  });

  it("is another one if little is printed and the exit code differs", () => {
    expect(isSameFailure(end("", 1), end("", 2))).toBe(false);
    expect(isSameFailure(end("bad"), end(""))).toBe(false);
    expect(isSameFailure(end(""), end("bad"))).toBe(false);
    expect(isSameFailure({ ...end("", null), ended: "timed-out" }, end("", null))).toBe(false);
  });
});
