/** What must work behind the wall, with real bubblewrap: the work of two steps, and a loop that is killed in its midst. */
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { openWall } from "../../src/adapters/wall/wall.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import { type BloomOptions, bloomProject, ranOf } from "../rig/bloom-project.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { NO_WALL } from "../rig/wall.ts";

const LONG = { timeout: 120_000 };

function walled(tasks: string, more: Omit<BloomOptions, "tasks"> = {}) {
  return bloomProject({ tasks, ...more, project: { sandbox: "bwrap", ...more.project } });
}

interface Step {
  readonly id: string;
  readonly lines: readonly string[];
}

const task = (steps: readonly Step[], more = "") => `tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
${more}  steps:
${steps
  .map(
    ({ id, lines }) =>
      `  - id: ${id}\n    instruction: |\n${lines.map((line) => `      ${line}\n`).join("")}`,
  )
  .join("")}`;

const RUN = (line: string) => `RUN: ${line}`;

/** What the commands of a run printed, in order. */
function printedIn(project: { read(path: string): string | null }, run: string): readonly string[] {
  return (project.read(`.pawl/agents/${run}/output.jsonl`) ?? "").split("\n").flatMap((line) => {
    const content = line.startsWith("{") ? JSON.parse(line).message?.content?.[0] : undefined;
    return content?.type === "tool_result" ? [String(content.content).trim()] : [];
  });
}

it.skipIf(NO_WALL)(
  "does two steps in one session: commits, amends, looks, notes and marks by its own hand",
  LONG,
  async () => {
    promise("wall.lets-work");
    const first = [
      RUN("echo a > a.txt; git add -A; git commit -qm s1; git status --short"),
      RUN('bloom note T1 "mind the gap"'),
      RUN('bloom ask T1 "Is it right?"'),
      RUN("bloom step done s1"),
    ];
    const second = [
      "RECALL:",
      RUN(
        "echo b > b.txt; git add b.txt; git commit -qm s2; echo c >> b.txt; git commit -qam s2 --amend; git diff HEAD~1 --stat | tail -1",
      ),
      RUN("git log --format=%s -2 | paste -sd,"),
      RUN(
        "echo kept > ~/.kept; echo x > $(mktemp); bloom list > /dev/null && bloom show T1 > /dev/null && echo looked",
      ),
      RUN("bloom step done s2"),
    ];
    const verify = '  verify: ["test -f a.txt", "test ! -e ~/.kept", "touch made && rm made"]\n';
    using project = walled(
      task(
        [
          { id: "s1", lines: first },
          { id: "s2", lines: second },
        ],
        verify,
      ),
    );
    const ran = await project.run();
    expect(ran.of("agent:warned")).toEqual([]);
    expect(ran.err).toBe("");
    expect(ran.of("task:completed").map(({ taskId }) => taskId)).toEqual(["T1"]);
    const completed = project.stored().filter(({ type }) => type === "step:completed");
    expect(completed.map(({ stepId }) => stepId)).toEqual(["s1", "s2"]);
    expect(ran.of("step:assumed_done")).toEqual([]);
    expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true]);
    const [recalled] = ran.of("agent:said").filter(({ text }) => String(text).startsWith("I recall"));
    expect(recalled?.text).toContain("I recall 1 prompt(s): # Task T1");
    const run = project.runs().at(-1)?.run ?? "";
    expect(printedIn(project, run)).toEqual([
      expect.stringContaining("1 file changed, 2 insertions"),
      "s2,s1",
      "looked",
      expect.stringContaining("s2 is done"),
    ]);
    expect(project.tasks()[0]?.ai_notes).toEqual(["mind the gap"]);
    expect(project.git("log", "--topo-order", "--format=%s", "--no-merges", "main").split("\n")).toEqual([
      "s2",
      "s1",
      "Begin",
    ]);
    expect(project.git("show", "main:b.txt")).toBe("b\nc");
    expect(project.git("fsck", "--strict")).toBe("");
  },
);

it.skipIf(NO_WALL)(
  "a loop that is killed in the midst of a run: the next brings in what was committed, and resumes",
  LONG,
  async () => {
    promise("wall.crash");
    const first = [
      RUN("echo a > a.txt; git add -A; git commit -qm s1; bloom step done s1"),
      "SAY: marked",
      "HANG:",
    ];
    using project = walled(
      task([
        { id: "s1", lines: first },
        {
          id: "s2",
          lines: [RUN("test -f a.txt && echo b > b.txt; git add -A; git commit -qm s2; bloom step done s2")],
        },
      ]),
    );
    const child = project.start("--once");
    await new Promise<void>((done) => {
      child.stdout?.on("data", (text) => String(text).includes('"text":"marked"') && done());
    });
    child.kill("SIGKILL");
    await ranOf(child);
    expect(project.hub("log", "--format=%s", "bloom/T1")).toBe("Begin");
    expect((await project.run()).code).toBe(0);
    expect(project.runs().map(({ prompt }) => prompt.includes("## Step 1"))).toEqual([true, false]);
    expect(project.git("log", "--format=%s", "--no-merges", "main").split("\n")).toEqual([
      "s2",
      "s1",
      "Begin",
    ]);
  },
);

it.skipIf(NO_WALL)(
  "what an agent staged and did not commit is seen, and it is asked to commit it",
  LONG,
  async () => {
    promise("wall.one-branch");
    const lines = [
      RUN(
        "seq 100 > old.txt; git add -A; git commit -qm s1; git mv old.txt new.txt; echo more >> new.txt; git add -A",
      ),
      RUN("bloom step done s1"),
    ];
    using project = walled(task([{ id: "s1", lines }]), { settings: { tries: 1 } });
    const ran = await project.run();
    expect(ran.of("git:uncommitted")[0]?.paths).toEqual(["old.txt", "new.txt"]);
  },
);

it.skipIf(NO_WALL)(
  "verify and setup run behind it, too, and their failure says so and how to name what they need",
  LONG,
  async () => {
    promise("wall.commands");
    const lines = [RUN("echo a > a.txt; git add -A; git commit -qm s1"), RUN("bloom step done s1")];
    const verify = '  verify: ["cat $PAWL_NEEDED && echo x > $PAWL_MADE"]\n';
    using project = walled(task([{ id: "s1", lines }], verify), {
      settings: { tries: 1, environment: ["PAWL_NEEDED", "PAWL_MADE"] },
      project: {
        setup: { ".": { run: ["test ! -e ~/.profile", "echo made > made-by-setup && rm made-by-setup"] } },
      },
    });
    const place = dirname(project.root);
    const named = { PAWL_NEEDED: join(place, "needed"), PAWL_MADE: join(place, "made") };
    writeFileSync(named.PAWL_NEEDED, "needed");
    writeFileSync(named.PAWL_MADE, "");
    const failed = await project.runWith(named);
    expect(failed.of("check:failed")).toHaveLength(1);
    const end = JSON.parse(project.read(`${failed.of("check:failed")[0]?.log}/end.json`) ?? "{}");
    expect(end.tail).toMatch(/No such file[\s\S]*behind the wall[\s\S]*sandbox\.read[\s\S]*sandbox\.write/);
    const sandbox = { kind: "bwrap", read: ["../needed"], write: ["../made"] };
    project.write("pawl.yaml", JSON.stringify({ ...JSON.parse(project.read("pawl.yaml") ?? ""), sandbox }));
    project.git("commit", "-qam", "Name what is needed");
    await project.person("ready", "T1");
    const passed = await project.runWith(named);
    expect(passed.of("check:failed")).toEqual([]);
    expect(passed.of("task:completed")).toHaveLength(1);
  },
);

it.skipIf(NO_WALL)(
  "a task without a repository works in the project's folder, and Pawl's own files stay closed there",
  LONG,
  async () => {
    promise("wall.holds");
    const commands = [
      "echo x > made.txt",
      "echo x >> pawl.yaml",
      "echo x >> tasks.yaml",
      "echo x > .git/config",
      "ls .pawl/runs",
    ];
    using project = walled(`tasks:
- id: T1
  title: One
  instructions: |
${commands.map((command) => `    ${RUN(command)}\n`).join("")}    RUN: bloom done T1
`);
    const ran = await project.run();
    expect(ran.of("task:completed")).toHaveLength(1);
    expect(printedIn(project, "T1.1").slice(0, 5)).toEqual([
      "",
      ...Array.from({ length: 3 }, () => expect.stringContaining("Read-only")),
      expect.stringContaining("No such file"),
    ]);
    expect(project.read("made.txt")).toBe("x\n");
  },
);

it.skipIf(NO_WALL)("without a network there is nothing but a loopback of its own", LONG, async () => {
  promise("wall.holds");
  const lines = [RUN("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | xargs"), RUN("bloom step done s1")];
  using project = walled(task([{ id: "s1", lines }]), {
    project: { sandbox: { kind: "bwrap", network: "none" } },
    settings: { tries: 1 },
  });
  await project.run();
  expect(printedIn(project, "T1.1")[0]).toBe("lo");
});

it.skipIf(NO_WALL)("an agent that is ended by a signal is told as such", LONG, async () => {
  promise("wall.lets-work");
  using project = walled(task([{ id: "s1", lines: ["KILL: SIGTERM"] }]), { settings: { tries: 1 } });
  const ran = await project.run();
  expect(ran.of("agent:ended").map(({ reason }) => reason)).toEqual(["signalled"]);
});

// ── Where there is none ──────────────────────────────────────────────────────────────────────────────────────────

/** A PATH on which there is everything but bubblewrap. */
function pathWithout(folder: string): string {
  const programs = ["git", "bash", "sh", "env", "ps", "test", "cat", "echo", "true"];
  for (const name of programs) symlinkSync(join("/usr/bin", name), join(folder, name));
  return [dirname(process.execPath), folder].filter((path) => path !== "/usr/bin").join(delimiter);
}

it("auto goes on without a wall, and one plain sentence says so", LONG, async () => {
  promise("wall.missing");
  using place = temporaryProject();
  const lines = [RUN("echo a > a.txt; git add -A; git commit -qm s1"), RUN("bloom step done s1")];
  using project = bloomProject({ tasks: task([{ id: "s1", lines }]), project: { sandbox: "auto" } });
  const ran = await project.runWith({ PATH: pathWithout(place.root) });
  expect(ran.err).toMatch(
    /There is no wall around agents and commands: .* bubblewrap is missing: there is no program bwrap on the PATH/,
  );
  const [warned] = ran.of("agent:warned");
  expect(warned?.text).toBe(
    "the agent has no wall: bubblewrap is missing: there is no program bwrap on the PATH",
  );
});

it(
  "an agent that is tried out without a wall says so, and is not started where one is required",
  LONG,
  async () => {
    promise("wall.missing");
    using place = temporaryProject();
    const without = { DOOR_ONLY: "", PATH: pathWithout(place.root) };
    using project = temporaryProject({ environment: without });
    const auto = await project.pawl("agents", "test", "scripted");
    expect(auto.code).toBe(0);
    expect(auto.out.replaceAll("\n", " ")).toContain(
      "no wall around it: bubblewrap is missing: there is no program bwrap on the PATH",
    );
    project.write("pawl.yaml", "sandbox: bwrap\n");
    const required = await project.pawl("agents", "test", "scripted");
    expect(required).toMatchObject({ code: 1, err: expect.stringContaining("[wall-missing]") });
  },
);

it("bwrap starts nothing without a wall", LONG, async () => {
  promise("wall.missing");
  using place = temporaryProject();
  using project = bloomProject({
    tasks: task([{ id: "s1", lines: ["SAY: hello"] }]),
    project: { sandbox: "bwrap" },
  });
  const ran = await project.bloomWith({ PATH: pathWithout(place.root) }, "run", "--once");
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("[wall-missing]") });
  expect(project.runs()).toEqual([]);
});

it("none is no wall, and nothing is said of it", () => {
  promise("wall.missing");
  const setup = {
    projectRoot: "/nowhere",
    stateFolder: "/nowhere/pawl/projects/x",
    environment: {},
    settings: { ...DEFAULT_SETTINGS.sandbox, kind: "none" as const },
    programs: [],
    tasksFile: "tasks.yaml",
    workflows: [],
  };
  expect(openWall(setup)).toEqual({ wall: null, why: "`sandbox: none` in pawl.yaml" });
  const nowhere = { ...setup, environment: { PATH: "/nowhere" }, settings: DEFAULT_SETTINGS.sandbox };
  expect(openWall(nowhere).why).toContain("no program bwrap on the PATH");
});

it.skipIf(NO_WALL)(
  "an agent that is tried out works behind the wall, too, and leaves nothing in the project",
  LONG,
  async () => {
    promise("wall.lets-work");
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    const agent = resolve(import.meta.dirname, "../../src/adapters/agents/scripted/agent.ts");
    const script = `#!/bin/sh\necho x > ${project.root}/escaped\nexec ${process.execPath} ${agent} "$@"\n`;
    writeFileSync(join(project.root, "agent.sh"), script, { mode: 0o755 });
    const agents = { mine: { dialect: "scripted", program: "./agent.sh" } };
    writeFileSync(join(project.root, "pawl.yaml"), JSON.stringify({ sandbox: "bwrap", agents }));
    await project.trust();
    const before = readdirSync(project.root, { recursive: true }).sort();
    const { code, err, out } = await project.pawl("agents", "test", "mine");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("mine works.");
    expect(existsSync(join(project.root, "escaped"))).toBe(false);
    expect(readdirSync(project.root, { recursive: true }).sort()).toEqual(before);
  },
);
