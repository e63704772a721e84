import fc from "fast-check";
import { expect, test } from "vitest";
import { CONTEXT, DESIGN, MANIFEST, PLAN, REVIEW, STRATEGY, TESTED } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;

/** Each a fault that no schema may let through. */
const FAULTS: readonly [string, (artifact: Record<string, unknown>) => unknown][] = [
  ["an unknown key", (artifact) => ({ ...artifact, surprise: 1 })],
  ["a missing key", (artifact) => Object.fromEntries(Object.entries(artifact).slice(1))],
  [
    "a key of another kind",
    (artifact) => ({ ...artifact, [Object.keys(artifact)[0] ?? ""]: { not: "this" } }),
  ],
  ["nothing", () => ({})],
];

async function refuses(project: AlfredProject, artifact: Record<string, unknown>): Promise<void> {
  const before = project.read(STATE);
  const { current_state } = project.state(ID).active_tool_state;
  for (const [fault, make] of FAULTS) {
    const answer = await project.submit(ID, make(artifact));
    expect(answer.data.code, `${current_state}: ${fault}`).toBe("artifact-invalid");
    expect(answer.message).toMatch(
      new RegExp(
        `^Artifact validation failed for state '${current_state}'\\.[\\s\\S]*\\n- .+: expected .+, found .+`,
      ),
    );
    expect(project.read(STATE), `${current_state}: ${fault}`).toBe(before);
  }
}

test("every state of every tool refuses what is not its artifact, and its state stays as it is, byte by byte", async () => {
  promise("alfred.invalid");
  using project = await projectWithTask(ID, { settings: { reviews: { default: [] } } });
  const tools: readonly [string, readonly Record<string, unknown>[]][] = [
    ["start_task", [CLEAN, { branch_name: "x", success: true, details: "" }]],
    ["plan_task", [CONTEXT, STRATEGY, DESIGN, PLAN]],
    ["implement_task", [MANIFEST]],
    ["review_task", [REVIEW]],
    ["test_task", [TESTED]],
    ["finalize_task", [{ commit_hash: "abc", pr_url: "" }]],
  ];
  for (const [tool, artifacts] of tools) {
    await project.call(tool, { task_id: ID });
    if (tool === "implement_task")
      for (const subtask_id of ["S-1", "S-2"])
        await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
    for (const artifact of artifacts) {
      await refuses(project, artifact);
      expect((await project.submit(ID, artifact)).status).toBe("success");
    }
  }
  expect(project.state(ID).task_status).toBe("done");
});

test("whatever is in the values, the prompt holds it literally, with one state line of its own", async () => {
  using project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  await project.call("start_task", { task_id: ID });
  const piece = fc.constantFrom(
    "```",
    "````",
    "\n",
    "# STATE: x",
    "{{ task }}",
    "{% raw %}",
    "\r\n",
    "> ",
    "\u2028",
    "é",
    "$&",
    "`",
  );
  const hostile = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (value, notes) => {
      const reviewed = await project.submit(ID, { ...CLEAN, current_branch: value });
      expect(reviewed.next_prompt).toContain(JSON.stringify(value));
      const rejected = await project.review(ID, false, `${notes}why`);
      for (const { next_prompt } of [reviewed, rejected]) {
        const lines = next_prompt.split(/\r\n|\r|\n/);
        expect(lines.filter((line) => line.startsWith("# STATE:"))).toHaveLength(1);
        expect(fencesOf(lines)).toBe("closed");
      }
    }),
    { numRuns: 20 },
  );
});

/** Walks the fences as a markdown reader does. */
function fencesOf(lines: readonly string[]): "open" | "closed" {
  let open: string | null = null;
  for (const line of lines) {
    const fence = /^(`{3,})([^`]*)$/.exec(line);
    if (!fence) continue;
    if (open === null) open = fence[1] ?? "";
    else if ((fence[1] ?? "").length >= open.length && fence[2]?.trim() === "") open = null;
  }
  return open === null ? "closed" : "open";
}
