import { expect, test } from "vitest";
import alfred from "../../src/workflows/alfred/module.ts";
import { AlfredProject, CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";

async function created(options?: ConstructorParameters<typeof AlfredProject>[0]): Promise<AlfredProject> {
  const project = new AlfredProject(options);
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  return project;
}

const branched = {
  branch_name: `feature/${ID}`,
  success: true,
  details: `Switched to a new branch 'feature/${ID}'`,
};

interface Step {
  readonly step: number;
  readonly act: (project: AlfredProject) => Promise<{ next_prompt: string; message: string; status: string }>;
  readonly state: string | null;
  readonly source: string | null;
  readonly status: string;
  readonly shows: readonly string[];
}

const STEPS: readonly Step[] = [
  {
    step: 1,
    act: (project) => project.call("start_task", { task_id: ID }),
    state: "initialized",
    source: null,
    status: "new",
    shows: [
      "# ROLE: Alfred, Personal Butler & Project Lead",
      "# STATE: initialized",
      "Directive: Check Git Status",
      "`git status --porcelain`",
      "`git rev-parse --abbrev-ref HEAD`",
      '"uncommitted_files"',
    ],
  },
  {
    step: 2,
    act: (project) => project.submit(ID, CLEAN),
    state: "awaiting_ai_review",
    source: "git_status_checked",
    status: "new",
    shows: [
      "# STATE: awaiting_ai_review",
      '"is_clean": true',
      "Directive: Propose Git Action",
      `feature/${ID}`,
      "It agrees with the report.",
    ],
  },
  {
    step: 3,
    act: (project) => project.review(ID, true),
    state: "awaiting_human_review",
    source: "git_status_checked",
    status: "new",
    shows: ["# STATE: awaiting_human_review", '"is_clean": true'],
  },
  {
    step: 4,
    act: (project) => project.review(ID, true),
    state: "branch_created",
    source: null,
    status: "new",
    shows: [
      "# STATE: branch_created",
      "Directive: Create and Verify Branch",
      `git checkout -b feature/${ID}`,
      `If the branch already exists, use \`git checkout feature/${ID}\``,
    ],
  },
  {
    step: 5,
    act: (project) => {
      project.git("checkout", "-q", "-b", `feature/${ID}`);
      return project.submit(ID, branched);
    },
    state: "awaiting_ai_review",
    source: "branch_created",
    status: "new",
    shows: ["# STATE: awaiting_ai_review", '"success": true', "It agrees with the report."],
  },
  {
    step: 6,
    act: (project) => project.review(ID, true),
    state: "awaiting_human_review",
    source: "branch_created",
    status: "new",
    shows: ["# STATE: awaiting_human_review"],
  },
  {
    step: 7,
    act: (project) => project.review(ID, true),
    state: null,
    source: null,
    status: "planning",
    shows: [],
  },
];

test("start_task goes through the seven steps, each read from disk by a fresh process", async () => {
  promise("alfred.start.seven-steps");
  using project = await created();
  for (const { act, shows, source, state, status, step } of STEPS) {
    const answer = await act(project);
    expect(answer.status, `step ${step}: ${answer.message}`).toBe("success");
    const disk = project.state(ID);
    expect(disk.task_status, `step ${step}`).toBe(status);
    expect(Object.keys(disk)).toContain("active_tool_state");
    expect(disk.active_tool_state?.current_state ?? null, `step ${step}`).toBe(state);
    expect(disk.active_tool_state?.review_source ?? null, `step ${step}`).toBe(source);
    for (const words of shows) expect(answer.next_prompt, `step ${step}`).toContain(words);
    const stateLines = answer.next_prompt.split("\n").filter((line) => line.startsWith("# STATE:"));
    expect(stateLines, `step ${step}`).toHaveLength(state === null ? 0 : 1);
    if (step === 5) expect(answer.next_prompt).not.toContain("Propose Git Action");
    if (step === 1)
      expect(answer.message).toBe(`Starting setup for task '${ID}'. Current step: initialized.`);
    if (step === 7)
      expect(answer.next_prompt).toBe(
        `Setup for task ${ID} is complete. The task is now 'planning'. Call 'plan_task' to begin planning.`,
      );
  }
});

test("what a person commits before there is a branch is no work of the task, and the review says what is true then", async () => {
  promise("alfred.start.dirty");
  using project = await created();
  project.write("config.txt", "one\n");
  await project.call("start_task", { task_id: ID });
  const report = { is_clean: false, current_branch: "main", uncommitted_files: ["config.txt"] };
  expect((await project.submit(ID, report)).next_prompt).toContain(
    "The working tree is not clean. A new branch would",
  );
  project.commit("As proposed");
  const asked = await project.review(ID, true);
  expect(asked.next_prompt).not.toContain("The working tree is not clean");
  expect(asked.next_prompt).toContain("no uncommitted files");
  const plan = await alfred.gate?.verdict();
  if (!plan) throw new Error("Alfred has no gate.");
  const { ask } = await project.run(
    plan,
    { id: ID, approve: true },
    { channel: "terminal", who: "dev@host" },
  );
  expect(ask?.message).toContain("DIFFERS: The server sees the branch 'main' and no uncommitted files.");
  await project.review(ID, true);
  project.git("checkout", "-q", "-b", `feature/${ID}`);
  await project.submit(ID, branched);
  expect(project.state(ID).base).toEqual({ branch: "main", commit: project.git("rev-parse", "main").trim() });
});
