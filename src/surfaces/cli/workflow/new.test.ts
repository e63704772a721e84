import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { check } from "../../../engine/check.ts";
import { parseWorkflow } from "../../../workflows/custom/definition/parse.ts";
import { answers } from "./new.ts";

/** A person who types these lines, and then nothing more. */
function typing(...lines: readonly string[]) {
  const left = [...lines];
  const asked: string[] = [];
  return {
    asked,
    conversation: {
      write: (text: string) => void asked.push(text),
      readLine: () => left.shift() ?? null,
      close() {},
    },
  };
}

describe("the questions of pawl workflow new", () => {
  it("make a workflow of the steps that a person names, with their decision if they want it", () => {
    promise("workflow.new");
    const { asked, conversation } = typing(
      "",
      "errand",
      "An errand",
      "Fetch it, Look at it, Hand it over",
      "Look at it",
    );
    const made = answers(conversation, undefined, ["alfred"]);
    expect(asked).toHaveLength(6);
    expect(made.name).toBe("errand");
    const files = "files" in made ? made.files : {};
    const { table, gates } = parseWorkflow("errand", "errand.yaml", files["errand.yaml"] ?? "").definition;
    expect(Object.keys(table.states)).toEqual(["fetch_it", "look_at_it", "hand_it_over", "finished"]);
    expect(gates).toEqual({ approve: "approve", reject: "reject" });
    const replies = Object.keys(files).flatMap((path) => /^errand\/(.+)\.md$/.exec(path)?.[1] ?? []);
    expect(check({ workflow: table, replies }).violations).toEqual([]);
  });

  it.each([
    [["nope"], 'The gallery has no "nope"'],
    [["", "alfred"], "There is a workflow called alfred already"],
    [["", "x", "X", ""], "A workflow needs a step"],
    [["", "x", "X", "a, A"], 'The step "A" cannot have a name of its own'],
    [["", "x", "X", "finished"], "cannot have a name of its own"],
    [["", "x", "X", "a, b", "c"], '"c" is not one of the steps'],
    [[], "cannot be a workflow's name"],
  ])("refuse %j, and say what was expected", (lines, words) => {
    promise("workflow.new");
    expect(() => answers(typing(...lines).conversation, undefined, ["alfred"])).toThrow(words);
  });
});
