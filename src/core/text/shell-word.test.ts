import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

it("gives a shell each word as it is", () => {
  const words = [
    "",
    "plain",
    "two words",
    "it's",
    "''",
    "$HOME",
    "`id`",
    "$(id)",
    "a\nb",
    "\\",
    "\\'",
    "*",
    "-n",
    '"',
    "!",
    "é",
  ];
  const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
});
