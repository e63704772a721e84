/** `pawl import` and `pawl task export` on the command line. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { IssuesServer, type ServedIssue } from "../rig/issues-server.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 120_000 };
const MASTER = {
  master: {
    tasks: [
      { id: 1, title: "Begin", status: "done", dependencies: [] },
      { id: 2, title: "Go on", status: "pending", details: "How", dependencies: [1, 99] },
    ],
  },
};

const open = (environment: Readonly<Record<string, string>> = {}) =>
  temporaryProject({ marked: false, environment: { DOOR_ONLY: "", ...environment } });

type Project = ReturnType<typeof open>;
function give(project: Project, path: string, data: unknown): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), typeof data === "string" ? data : JSON.stringify(data));
}

describe("An import", () => {
  it("shows what it would write, writes it, and changes nothing the second time", LONG, async () => {
    promise("import.again");
    using project = open();
    give(project, ".taskmaster/tasks/tasks.json", MASTER);
    const dry = await project.pawl("import", ".", "--dry-run");
    expect(dry.out).toContain("task-master: 2 would be new");
    expect(project.read("tasks.yaml")).toBeNull();
    const { code, out } = await project.pawl("import", ".", "--repo", ".");
    expect(code).toBe(0);
    expect(out).toContain("new  2  todo  Go on (after 1)");
    expect(out).toContain("(2 on 99)");
    const text = project.read("tasks.yaml");
    expect(text).toContain("repo: .");
    expect((await project.pawl("import", ".")).out).toContain("0 new, 0 updated, 2 unchanged");
    expect(project.read("tasks.yaml")).toBe(text);
    expect((await project.pawl("validate")).code).toBe(0);
    expect((await project.pawl("log")).out).toContain(
      "imported task-master into tasks.yaml: 2 new, 0 updated",
    );
  });

  it("updates what changed there, and keeps every byte that a person wrote", LONG, async () => {
    promise("import.again");
    const own = "# ours\ntasks:\n  - id: mine # my own\n    title: Mine\n\n# the end\n";
    using project = bloomProject({ tasks: own });
    const file = join(project.root, "todo.md");
    writeFileSync(file, "- [ ] ABC-1 First\n- [ ] ABC-2 Second\n");
    await project.bloom("import", "todo.md");
    const first = project.read("tasks.yaml") ?? "";
    project.write("tasks.yaml", first.replace("title: ABC-2 Second", "title: Second, better # mine too"));
    writeFileSync(file, "- [x] ABC-1 First\n- [x] ABC-2 Second\n- [ ] ABC-3 Third\n");
    expect((await project.bloom("import", "todo.md")).out).toContain("1 new, 2 updated, 0 unchanged");
    const [mine, one, two, three] = project.tasks();
    expect([mine?.id, one?.status, two?.status, two?.title, three?.id]).toEqual([
      ...["mine", "done", "done", "Second, better", "ABC-3"],
    ]);
    for (const line of own.split("\n")) expect(project.read("tasks.yaml")).toContain(line);
    expect(project.read("tasks.yaml")).toContain("# mine too");
  });

  it("writes Alfred's task files, and leaves one that was edited since", LONG, async () => {
    promise("import.alfred");
    using project = open();
    give(
      project,
      "list.csv",
      "ID,Title,Status,Description,Blocked by\nA,First,Done,,\nB,Second,Open,## How\nC,Third,Open,x,B\n",
    );
    expect((await project.pawl("import", "list.csv", "--into", "alfred")).out).toContain("csv: 2 new");
    const path = ".alfred/tasks/B.md";
    expect(project.read(path)).toContain("# TASK: B\n");
    expect(project.read(".alfred/tasks/C.md")).toContain("## Dependencies\n\n- B\n");
    project.write(path, `${project.read(path)}\nmine\n`);
    give(project, "list.csv", "ID,Title,Status,Description,Blocked by\nB,Other,Open,\nC,Fourth,Open,x,B\n");
    const { out } = await project.pawl("import", "list.csv", "--into", "alfred");
    expect(out).toContain("changed here since, so it stays");
    expect(project.read(path)).toContain("Second");
    expect(project.read(".alfred/tasks/C.md")).toContain("Fourth");
  });

  it("refuses what it cannot read in Pawl's words, and leaves tasks.yaml", LONG, async () => {
    promise("import.bounded");
    using project = bloomProject({ tasks: "tasks: []\n" });
    const write = (name: string, text: string | Uint8Array) => writeFileSync(join(project.root, name), text);
    write("bad.json", "{");
    write("bytes.md", new Uint8Array([0x2d, 0x20, 0xff, 0xfe, 0x80]));
    write("what.bin", "x");
    write("export.zip", new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0xff, 0xfe]));
    const refused = async (...args: readonly string[]) => (await project.bloom("import", ...args)).err;
    expect(await refused("none")).toContain("[import-invalid]");
    expect(await refused("bad.json")).toContain("[import-invalid]");
    expect(await refused("bytes.md")).toContain("expected text in UTF-8");
    expect(await refused("what.bin")).toContain("[import-format]");
    expect(await refused("export.zip")).toContain("found a ZIP archive. [import-invalid]\nfix:  Unpack it");
    expect(await refused("bad.json", "--format", "nope")).toContain("expected one of task-master");
    expect(await refused("github:acme/app")).toContain("[forge-unconfigured]");
    expect(project.read("tasks.yaml")).toBe("tasks: []\n");
  });

  it("follows no link below the folder that is named", LONG, async () => {
    promise("import.bounded");
    using project = open();
    using other = open();
    give(other, "secret/task-9 - Secret.md", "---\nid: task-9\ntitle: Secret\n---\n");
    give(project, "backlog/tasks/task-1 - Own.md", "---\nid: task-1\ntitle: Own\nstatus: To Do\n---\n");
    symlinkSync(join(other.root, "secret"), join(project.root, "backlog/tasks/linked"));
    symlinkSync(
      join(other.root, "secret/task-9 - Secret.md"),
      join(project.root, "backlog/tasks/task-9 - x.md"),
    );
    const { out } = await project.pawl("import", "backlog", "--json");
    expect(JSON.parse(out).rows.map(({ id }: { id: string }) => id)).toEqual(["task-1"]);
  });

  it("is refused to an agent of the loop", LONG, async () => {
    promise("import.bounded");
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: echo '- [x] a' > "$PAWL_PROJECT/l.md"; bloom import "$PAWL_PROJECT/l.md" > "$PAWL_PROJECT/said.txt" 2>&1 || true\n    RUN: bloom done T1\n`,
    });
    await project.run();
    expect(project.read("said.txt")).toContain("[caller-not-allowed]");
    expect(project.tasks()).toHaveLength(1);
  });
});

const issue = (number: number, more: Partial<ServedIssue> = {}): ServedIssue => ({
  ...{ number, title: `Issue ${number}`, body: null, state: "open", state_reason: null },
  ...more,
});

describe("GitHub", () => {
  it(
    "gives its issues, all pages of them, and gets back the status that changed here, alone",
    LONG,
    async () => {
      promise("export.github");
      const issues = Array.from({ length: 130 }, (_, at) => issue(at + 1));
      issues[2] = issue(3, { pull_request: { url: "x" } });
      issues[9] = issue(10, { state: "closed", state_reason: "completed" });
      await using server = await IssuesServer.open("acme/app", issues);
      using project = bloomProject({
        tasks: "tasks: []\n",
        environment: { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url },
      });
      const door = { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
      expect((await project.bloomWith(door, "import", "github:acme/app")).out).toContain("github: 129 new");
      expect(server.asked.filter(({ path }) => path.endsWith("/issues"))).toHaveLength(2);
      const text = (project.read("tasks.yaml") ?? "")
        .replace(
          "id: GH-1\n    title: Issue 1\n    status: todo",
          "id: GH-1\n    title: Issue 1\n    status: done",
        )
        .replace(
          "id: GH-2\n    title: Issue 2\n    status: todo",
          "id: GH-2\n    title: Issue 2\n    status: cancelled\n    cancel_reason: no",
        );
      project.write("tasks.yaml", text);
      // Closed there since: nothing changed here, so it stays.
      Object.assign(issues[4] as ServedIssue, { state: "closed", state_reason: "completed" });
      const dry = await project.bloomWith(door, "export", "--to", "github", "--dry-run");
      expect(dry.out).toContain("2 would be changed");
      expect(issues[0]?.state).toBe("open");
      const { out } = await project.bloomWith(door, "export", "--to", "github");
      expect(out).toContain(
        "GH-1  acme/app#1  closed (completed)\nGH-2  acme/app#2  closed (not planned)\n2 changed",
      );
      expect(issues.slice(0, 2).map(({ state, state_reason }) => [state, state_reason])).toEqual([
        ["closed", "completed"],
        ["closed", "not_planned"],
      ]);
      expect(issues[4]?.state).toBe("closed");
      const patches = () => server.asked.filter(({ method }) => method === "PATCH");
      expect(patches().map(({ body }) => Object.keys(JSON.parse(body)).sort())).toEqual([
        ["state", "state_reason"],
        ["state", "state_reason"],
      ]);
      expect((await project.bloomWith(door, "export", "--to", "github")).out).toContain(
        "0 changed, 2 as they are",
      );
      expect(patches()).toHaveLength(2);
      expect((await project.bloomWith(door, "import", "github:acme/app")).out).toContain("0 new");
      server.faults.push({ path: /\/issues/, answer: { status: 404, json: { message: "Not Found" } } });
      expect((await project.bloomWith(door, "import", "github:acme/app")).err).toContain("[forge-failed]");
    },
  );
});

describe("An export", () => {
  const TASKS = `tasks:
  - id: A
    title: "=1+1"
    status: done
    steps: [{id: A.1, instruction: "one\\nmore", status: done}]
    subtasks: [{id: B, title: "b, \\"c\\"", status: cancelled, cancel_reason: no}]
  - {id: C, title: c, depends_on: [A], status: blocked}
`;

  it(
    "prints JSON, CSV that runs nothing, and a checklist; an import reads the last two again",
    LONG,
    async () => {
      promise("export.forms");
      using project = bloomProject({ tasks: TASKS });
      const json = JSON.parse((await project.bloom("export", "--format", "json")).out);
      expect(json.tasks.map(({ id }: { id: string }) => id)).toEqual(["A", "C"]);
      const csv = (await project.bloom("export", "--format", "csv")).out;
      expect(csv).toContain("A,'=1+1,done,,,,,1,1,");
      expect(csv).toContain('B,"b, ""c""",cancelled,A,');
      const markdown = (await project.bloom("export")).out;
      expect(markdown).toBe(
        '# Tasks\n\n- [x] A: =1+1\n  - [x] A.1: one\n  - [-] B: b, "c" (cancelled: no)\n- [ ] C: c (blocked; after A)\n',
      );
      using other = open();
      give(other, "x.csv", csv);
      const rows = JSON.parse((await other.pawl("import", "x.csv", "--json")).out).rows;
      expect(rows.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
        ["A", "done"],
        ["B", "cancelled"],
        ["C", "blocked"],
      ]);
      expect((await project.bloom("export", "--dry-run")).code).toBe(2);
    },
  );
});
