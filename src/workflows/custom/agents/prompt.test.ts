import { expect, it } from "vitest";
import type { Definition } from "../definition/definition.ts";
import { allAnswers } from "./prompt.ts";

it("has a text for each field of each agent, whichever of its orders asked for it", () => {
  const order = (field: string) => ({
    commands: [
      { type: "run", agent: "constructor", prompt: "p", answers: { verdict: ["good"], [field]: "text" } },
    ],
  });
  const definition = { table: { rules: [order("one"), order("two")] } } as unknown as Definition;
  expect(allAnswers(definition, undefined)).toEqual({ constructor: { one: "", two: "" } });
  expect(allAnswers(definition, { constructor: { one: "a" } })).toEqual({
    constructor: { one: "a", two: "" },
  });
});
