/** `pawl plan`: what an agent proposes lands in tasks.yaml only after a person has seen it. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { typingInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { NO_WALL } from "../rig/wall.ts";

const LONG = { timeout: 120_000 };
const BEFORE = "# ours\ntasks:\n  - id: T1 # first\n    title: Old\n\n# the end\n";
const reply = (...tasks: readonly object[]) => `SAY: ${JSON.stringify({ tasks })}`;
const LOGIN = { id: "T1", title: "Log in", instructions: "Add a form.\nKeep the rest." };
const TESTS = { id: "login-tests", title: "Test it", instructions: "Test the form.", depends_on: ["T1"] };
const AFTER = BEFORE.replace(
  "title: Old\n",
  `title: Old
  - id: T1-2
    title: Log in
    repo: .
    depends_on:
      - T1
    instructions: |
      Add a form.
      Keep the rest.
  - id: login-tests
    title: Test it
    repo: .
    depends_on:
      - T1-2
    instructions: |
      Test the form.
`,
);

/** Without a terminal. */
const called = (project: BloomProject, ...args: readonly string[]) =>
  project.bloomWith(project.environment, ...args);
const plans = (root: string) =>
  existsSync(join(root, ".pawl/plans")) ? readdirSync(join(root, ".pawl/plans")) : [];

it(
  "shows the diff without a terminal, changes nothing, and takes the kept proposal with a person's yes",
  LONG,
  async () => {
    promise("bloom.plan");
    using project = bloomProject({ tasks: BEFORE, answers: { "> Let people log in": reply(LOGIN, TESTS) } });
    const shown = await called(project, "plan", "Let people log in", "--repo", ".", "--after", "T1");
    expect(shown.code).toBe(3);
    expect(shown.out).toContain("+  - id: T1-2\n+    title: Log in\n");
    expect(shown.out).toContain("scripted proposes these 2 tasks for: Let people log in");
    expect(project.read("tasks.yaml")).toBe(BEFORE);
    const [name = ""] = plans(project.root);
    expect(shown.out).toContain(`pawl plan --take .pawl/plans/${name}`);
    const unasked = await called(project, "plan", "--take", `.pawl/plans/${name}`);
    expect(unasked.err).toContain("[terminal-missing]");
    expect(project.read("tasks.yaml")).toBe(BEFORE);
    const taken = await project.person("plan", "--take", `.pawl/plans/${name}`);
    expect(taken.screen.replaceAll("\r", "")).toContain("+  - id: login-tests\n");
    expect(taken.out).toBe("T1-2, login-tests: now in tasks.yaml.\n");
    expect(project.read("tasks.yaml")).toBe(AFTER);
    expect(plans(project.root)).toEqual([]);
    expect(project.stored().filter(({ type }) => type === "task:added")).toHaveLength(2);
    expect((await called(project, "plan", "--take", `.pawl/plans/${name}`)).err).toContain(
      "There is no proposal",
    );
  },
);

it(
  "asks at a terminal at once; whoever does not say yes changes nothing and keeps the proposal",
  LONG,
  async () => {
    promise("bloom.plan");
    using project = bloomProject({ tasks: BEFORE, answers: { "> Let people log in": reply(LOGIN) } });
    const args = ["plan", "Let people log in"];
    const no = await typingInside(project.root, args, { ...project.environment, DOOR_ONLY: "" }, "n\n");
    expect(no.err).toContain("[person-declined]");
    expect(project.read("tasks.yaml")).toBe(BEFORE);
    const [name = ""] = plans(project.root);
    expect(no.screen).toContain(`.pawl/plans/${name}`);
    const yes = await typingInside(project.root, args, { ...project.environment, DOOR_ONLY: "" }, "y\n");
    expect(yes.out).toBe("T1-2: now in tasks.yaml.\n");
    expect(plans(project.root)).toEqual([name]);
  },
);

it("answers a reply that cannot be used once, and gives data to a program", LONG, async () => {
  promise("bloom.plan");
  using project = bloomProject({
    tasks: BEFORE,
    answers: {
      "> Let people log in": "SAY: Sure, I will!",
      "Your answer cannot be taken": reply(LOGIN),
      "> Something else": "SAY: Never.",
    },
  });
  const { code, out } = await called(project, "plan", "Let people log in", "--json");
  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject({ tasks: ["T1-2"], taken: false, agent: "scripted" });
  expect(project.runs().map(({ run }) => run.replace(/^plan-\w{8}/, "plan"))).toEqual(["plan.1", "plan.2"]);
  using other = bloomProject({ tasks: BEFORE, answers: { "> Something else": "SAY: Never." } });
  const failed = await called(other, "plan", "Something else");
  expect(failed.err).toContain("[proposal-invalid]");
  expect(plans(other.root)).toEqual([]);
});

it("is refused to an agent of the loop, and says what it takes", LONG, async () => {
  promise("bloom.plan");
  using project = bloomProject({
    tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: bloom plan more > "$PAWL_PROJECT/said.txt" 2>&1 || true\n    RUN: bloom done T1\n`,
  });
  await project.run();
  expect(project.read("said.txt")).toContain("[caller-not-allowed]");
  for (const args of [["plan"], ["plan", "x", "--take", "y"], ["plan", "--take", "../y"]])
    expect((await called(project, ...args)).err).toContain("[usage]");
  expect((await called(project, "plan", "export", "--help")).out).toContain("plan export");
});

it.skipIf(NO_WALL)("lets the agent write nowhere in the project behind the wall", LONG, async () => {
  promise("bloom.plan");
  using project = bloomProject({ tasks: BEFORE, answers: {}, project: { sandbox: "bwrap" } });
  const lines = `RUN: echo x > stray.txt; echo x > .git/stray; ls tasks.yaml\n${reply(LOGIN)}`;
  // Temporary places are empty behind the wall; the project is not.
  project.write("answers.json", JSON.stringify({ "> Let people log in": lines }));
  const environment = { ...project.environment, PAWL_SCRIPTED_ANSWERS: join(project.root, "answers.json") };
  const { code, err } = await project.bloomWith(environment, "plan", "Let people log in");
  expect({ code, err }).toEqual({ code: 3, err: "scripted reads the project and proposes tasks …\n" });
  expect(project.read("stray.txt")).toBeNull();
  expect(project.read(".git/stray")).toBeNull();
  expect(project.read("tasks.yaml")).toBe(BEFORE);
  const [run] = project.runs();
  const output = project.read(`.pawl/agents/${run?.run}/output.jsonl`);
  expect(output).toContain("stray.txt: Read-only file system");
  expect(output).toContain("tasks.yaml");
});
