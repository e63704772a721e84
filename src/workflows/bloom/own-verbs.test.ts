import { expect, it } from "vitest";
import { readCall } from "./own-verbs.ts";

const input = (verb: string, given: Readonly<Record<string, unknown>>) =>
  readCall({ verb, input: given })?.input;

it("takes what an agent says of its own work", () => {
  expect(input("step done", { id: "s1" })).toEqual({ id: "s1" });
  expect(input("done", { id: "T1" })).toEqual({ id: "T1" });
  expect(input("note", { id: "T1", text: "see a.ts" })).toEqual({ id: "T1", text: "see a.ts" });
  expect(input("ask", { task: "T1", text: "Which?", blocking: true })).toMatchObject({ blocking: true });
});

it("leaves out what is a person's word", () => {
  expect(input("done", { id: "T1", force: true })).toEqual({ id: "T1" });
});

it.each([
  ["approve", { id: "T1" }],
  ["answer", { question: "q1", text: "yes" }],
  ["constructor", { id: "T1" }],
  ["step done", {}],
  ["step done", { id: { $ne: 1 } }],
  ["ask", { task: "T1", text: "Which?", blocking: "yes" }],
])("refuses %s %j", (verb, given) => {
  expect(readCall({ verb, input: given })).toBeNull();
});
