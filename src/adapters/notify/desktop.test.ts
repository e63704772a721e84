import { expect, it } from "vitest";
import type { Notice } from "../../core/notice.ts";
import { callFor } from "./desktop.ts";

const NOTICE: Notice = {
  id: "pawl_1",
  type: "question",
  time: "2026-03-01T12:00:00.000Z",
  project: "shop",
  title: "shop: a question",
  text: "The agent of bloom:T1 asks (q1).",
  quote: '" & do shell script "x"; $(x) `x`',
  run: "bloom:T1",
  acts: "person",
  command: "pawl task questions T1",
  board: null,
};

it("On macOS the words are arguments after a script that stays the same", () => {
  const { args, program } = callFor("darwin", NOTICE, {});
  expect(program).toBe("/usr/bin/osascript");
  const script = args.filter((_, at) => args[at - 1] === "-e").join("\n");
  expect(script).not.toContain("shop");
  expect(args.at(-2)).toBe(NOTICE.title);
  expect(args.at(-1)).toContain(NOTICE.quote);
});

it("On Windows the words are variables of a script that stays the same", () => {
  const { args, environment } = callFor("win32", NOTICE, { PATH: "x" });
  expect(args.join(" ")).not.toContain("shop");
  expect(environment).toMatchObject({ PATH: "x", PAWL_NOTICE_TITLE: NOTICE.title });
  expect(environment.PAWL_NOTICE_BODY).toContain(NOTICE.quote);
});
