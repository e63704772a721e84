import { expect, test } from "vitest";
import { optional, required, verb } from "./verb.ts";

test("a verb has its arguments in their order apart from its options, and what else it says", () => {
  const transaction = async () => ({}) as never;
  const flag = { flags: "--all", description: "All" };
  const given = [
    required("run", "The run"),
    flag,
    optional("to", "Where"),
    required("by", "How", ["a", "b"]),
  ];
  expect(verb("task share", "Shares it", given, transaction, { prose: true })).toEqual({
    ...{ name: "task share", summary: "Shares it", prose: true, transaction, options: [flag] },
    arguments: [
      { name: "run", description: "The run", required: true },
      { name: "to", description: "Where", required: false },
      { name: "by", description: "How", required: true, choices: ["a", "b"] },
    ],
  });
  expect(verb("x", "y", [], transaction)).not.toHaveProperty("prose");
});
