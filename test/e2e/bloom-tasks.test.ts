/** tasks.yaml over the command line, as people and agents change it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { pawlInside, runAtTerminal, runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";

const ALL = { DOOR_ONLY: "" };

function project(tasks: string) {
  const made = temporaryProject({ marked: false, environment: ALL });
  made.write("tasks.yaml", tasks);
  return made;
}

const FILE = `# Our plan
git: {push_to_remote: false} # not yet

tasks:
  - id: T1
    title: First # the first
    steps:
      - id: T1-a
        instruction: Do a
      - {id: T1-b, instruction: Do b}
  # then
  - id: T2
    title: Second
    depends_on: [T1]
    mine: [kept, as, it, is]
`;

describe("tasks.yaml on the command line", () => {
  it("changes one line for one status, and keeps everything else byte for byte", async () => {
    promise("bloom.one-line");
    using made = project(FILE);
    expect(await made.pawl("block", "T2")).toMatchObject({ code: 0, out: "T2 is blocked.\n" });
    expect(made.read("tasks.yaml")).toBe(
      FILE.replace("title: Second\n", "title: Second\n    status: blocked\n"),
    );
    expect(await made.pawl("todo", "T2")).toMatchObject({ code: 0 });
    expect(made.read("tasks.yaml")).toBe(
      FILE.replace("title: Second\n", "title: Second\n    status: todo\n"),
    );
  });

  it("marks a step done once, and answers 0 and changes nothing the second time", async () => {
    using made = project(FILE);
    expect(await made.pawl("step", "done", "T1-a")).toMatchObject({
      code: 0,
      out: "T1-a is done. Still open in T1: T1-b.\n",
    });
    const marked = made.read("tasks.yaml") ?? "";
    const events = made.read(".pawl/events.jsonl");
    expect(parseDocument(marked).toJS().tasks[0].steps[0]).toMatchObject({
      status: "done",
      completed_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(await made.pawl("step", "done", "T1-a")).toMatchObject({
      code: 0,
      out: "T1-a is done already.\n",
    });
    expect(made.read("tasks.yaml")).toBe(marked);
    expect(made.read(".pawl/events.jsonl")).toBe(events);
    expect(JSON.parse(events ?? "")).toMatchObject({
      type: "step:completed",
      taskId: "T1",
      stepId: "T1-a",
      duration: 0,
    });
  });

  it("answers 2 to an unknown id and names the nearest", async () => {
    using made = project(FILE);
    const unknown = await made.pawl("step", "done", "T1-c");
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('No step has the id "T1-c". Nearest: T1-a, T1-b.');
    expect((await made.pawl("ready", "T1-a")).err).toContain("T1-a is a step of T1.");
    expect(made.read("tasks.yaml")).toBe(FILE);
  });

  it("refuses a faulty file with the place of each fault, and writes nothing", async () => {
    using made = project(FILE.replace("depends_on: [T1]", "depends_on: [T9]"));
    const before = made.read("tasks.yaml");
    const refused = await made.pawl("step", "done", "T1-a");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("tasks.yaml:14:18: T2 depends on T9"),
    });
    expect(made.read("tasks.yaml")).toBe(before);
    expect(await made.pawl("validate", "--json")).toMatchObject({
      code: 1,
      out: expect.stringContaining('"line": 14'),
    });
  });

  it("names what no workspace will have: dependencies beside the project", async () => {
    using made = project("tasks:\n- {id: G, title: g, repo: .}\n");
    made.write("package.json", '{"dependencies": {"a": "file:../lib", "b": "file:./own", "c": "1.0.0"}}');
    made.write("go.mod", "module shop\nreplace example.org/x => ../x\n");
    const { code, out } = await made.pawl("validate");
    expect(code).toBe(0);
    expect(out).toContain("package.json: warning: it uses ../lib, which lies beside the project");
    expect(out).toContain("go.mod: warning: it uses ../x");
    expect(out.match(/warning/g)).toHaveLength(2);
  });

  it("keeps a parent's done for its subtasks, and a task with git work for its merge", async () => {
    using made = project(
      "tasks:\n- {id: P, title: p, instructions: x, subtasks: [{id: S, title: s}]}\n- {id: G, title: g, repo: .}\n",
    );
    expect((await made.pawl("done", "P")).out).toContain("P is done_pending_merge.");
    expect((await made.pawl("done", "G")).out).toContain("G is done_pending_merge.");
    const there = (...words: string[]) => runAtTerminal(made.root, words, { DOOR_ONLY: "" });
    expect((await there("done", "G", "--force")).out).toContain("G is done.");
    expect((await there("done", "S")).out).toContain("S is done.");
  });

  it("does not let a task be done over open steps", async () => {
    using made = project(FILE);
    expect(await made.pawl("done", "T1")).toMatchObject({
      code: 1,
      out: expect.stringContaining("T1 has open steps: T1-a, T1-b."),
    });
    expect(made.read("tasks.yaml")).toBe(FILE);
  });

  it("finds the file from below, by --file anywhere on the line, and by the environment", async () => {
    using made = project(FILE);
    made.write("src/deep/x.txt", "");
    made.write("other/plan.yaml", "tasks: [{id: X, title: x}]\n");
    const below = join(made.root, "src/deep");
    expect((await pawlInside(below, ["list"], ALL)).out).toContain("T1  First");
    expect((await pawlInside(below, ["list", "-f", "../../other/plan.yaml"], ALL)).out).toContain("X  x");
    expect((await pawlInside(below, ["-f", "../../other/plan.yaml", "list"], ALL)).out).toContain("X  x");
    const named = { ...ALL, BLOOM_TASKS_FILE: join(made.root, "other/plan.yaml") };
    expect((await pawlInside(below, ["list"], named)).out).toContain("X  x");
    expect(await pawlInside(below, ["list", "--file", "none.yaml"], ALL)).toMatchObject({
      code: 1,
      err: expect.stringContaining("none.yaml"),
    });
  });

  it("names the places if it looked for a file that is nowhere", async () => {
    using made = temporaryProject({ environment: ALL });
    made.write("src/x.txt", "");
    const missing = await pawlInside(join(made.root, "src"), ["list"], ALL);
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringContaining(`looked in ${made.root}/src, ${made.root}`),
    });
  });

  it("asks, answers and shows questions", async () => {
    using made = project(FILE);
    expect(await made.pawl("ask", "T1", "Which port?", "--blocking")).toMatchObject({
      code: 3,
      out: expect.stringContaining("Asked as q1."),
    });
    expect(await made.pawl("ask", "T1", "Which name?")).toMatchObject({ code: 0 });
    expect((await made.pawl("questions")).out).toBe(
      "q1  T1  waits  Which port?\nq2  T1  open  Which name?\n",
    );
    expect(await made.pawl("answer", "q1", "8080")).toMatchObject({ code: 0 });
    expect(await made.pawl("answer", "q1", "9090")).toMatchObject({ code: 1 });
    expect(await made.pawl("answer", "q9", "x")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Nearest: q2."),
    });
    expect(await made.pawl("interject", "T1", "Stop")).toMatchObject({
      code: 1,
      out: expect.stringContaining("not being worked on"),
    });
  });

  it("reads a file that a person saved since as it is, whatever the cache holds", async () => {
    promise("commit.cache");
    using made = project(FILE);
    await made.pawl("list");
    writeFileSync(join(made.root, "tasks.yaml"), `# moved down\n\n${FILE}`);
    expect(await made.pawl("start", "T2")).toMatchObject({ code: 0 });
    const text = made.read("tasks.yaml") ?? "";
    expect(text.startsWith("# moved down\n\n# Our plan\n")).toBe(true);
    expect(parseDocument(text).toJS().tasks[1]).toMatchObject({
      status: "in_progress",
      mine: ["kept", "as", "it", "is"],
    });
  });

  it("takes a damaged cache as none", async () => {
    using made = project(FILE);
    // Each in a process that remembers nothing.
    const pawl = (...words: string[]) => runPawl(made.root, words, ALL);
    // Nothing is cached before the project has a key: its first commit makes it.
    await pawl("start", "T2");
    await pawl("list");
    const path = join(stateOf(made.root).folder, "cache/tasks.json");
    const cache = readFileSync(path, "utf8");
    expect(cache).toContain('"T2"');
    writeFileSync(path, cache.slice(0, 200));
    expect((await pawl("step", "done", "T1-a")).code).toBe(0);
  });

  it("believes no cache that came with the project", async () => {
    promise("commit.cache");
    using made = project(FILE);
    const pawl = (...words: string[]) => runPawl(made.root, words, ALL);
    await pawl("start", "T2");
    await pawl("list");
    const cache = readFileSync(join(stateOf(made.root).folder, "cache/tasks.json"), "utf8");
    made.write(".pawl/cache/tasks.json", cache.replaceAll("Second", "Planted"));
    expect((await pawl("list")).out).toContain("T2  Second");
  });
});
