import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../../src/surfaces/cli/clients/client-names.ts";
import { sizeFromPerson } from "../../src/surfaces/cli/work/init.ts";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { MAIN, runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";

const TWO_LINES = /^pawl: [^\n]+ \[[a-z-]+\]\nfix: {2}[^\n]+\n$/;

describe("pawl", () => {
  it("shows help of at most 80 columns, with the workflows' verbs, and exits with 0", async () => {
    using project = temporaryProject();
    for (const args of [["--help"], ["approve", "--help"], ["door", "knock", "--help"]]) {
      const { code, out, err } = await project.pawl(...args);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    }
    expect((await project.pawl("--help")).out).toMatch(/Door:\n {2}door knock/);
  });

  it("runs a workflow's verb, and shows what came of it", async () => {
    using project = temporaryProject();
    expect(await project.pawl("door", "knock", "front", "--loud")).toEqual({
      code: 0,
      out: "# Somebody knocks at front.\n",
      err: "",
    });
    expect(await project.pawl("door", "knock", "front", "--json")).toMatchObject({ code: 1, err: "" });
  });

  it.each([
    [["sttus"], 2, "Did you mean status?"],
    [["status", "--jsn"], 2, "Did you mean --json?"],
    [["status", "--jsn=1"], 2, "Did you mean --json?"],
    [["--jsn", "status"], 2, "Unknown option '--jsn'."],
    [["status", "extra"], 2, "Too many arguments for `pawl status`: expected 0, found 1."],
    [["status", "--project"], 2, "`--project <dir>` has no value."],
    [["reject", "x", "-m"], 2, "`-m, --notes <text>` has no value."],
    [["reject", "x", "-m", "--project=."], 2, "`-m, --notes <text>` has no value."],
    [["task", "lst"], 2, "Did you mean list?"],
    [["approve"], 2, "Missing required argument 'run'"],
    [["approve", "nope"], 2, 'No run is called "nope"'],
    [["approve", "alfrd:x"], 2, 'No workflow is called "alfrd"'],
    [["approve", "door:../x"], 2, "The door id is not valid"],
    [["check", "dor"], 2, "Use door."],
    [
      ["diagram", "door", "--format", "svg"],
      2,
      '--format is "svg": expected one of mermaid, xstate, markdown.',
    ],
    [["door"], 2, "expected knock"],
    [["door", "knok"], 2, "Did you mean knock?"],
    [["init", "--client", "emacs"], 2, '--client is "emacs": expected one of claude-code'],
    [["init", "--client", "claude"], 2, "Did you mean claude-code?"],
    [["completion", "fisch"], 2, "Did you mean fish?"],
    [["log", "nope"], 2, 'No run is called "nope"'],
    [["status", "--project", "/nowhere"], 2, '--project names "/nowhere"'],
  ])("refuses %j with two lines and %i", async (args, code, words) => {
    using project = temporaryProject();
    const ended = await project.pawl(...args);
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toMatch(TWO_LINES);
    expect(ended.err).toContain(words);
  });

  it("says what could stand if an argument is missing", async () => {
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    const { code, err } = await project.pawl("cast");
    expect(code).toBe(2);
    expect(err).toContain("Missing required argument 'spell': expected one of accio, ");
    expect((await project.pawl("completion")).err).toContain("expected one of bash, zsh, fish.");
  });

  it("writes an error as JSON under --json", async () => {
    using project = temporaryProject();
    const { code, out, err } = await project.pawl("approve", "nope", "--json");
    expect({ code, err }).toEqual({ code: 2, err: "" });
    expect(JSON.parse(out)).toMatchObject({ error: { code: "run-missing" } });
  });

  it("says so if there is no project, and never shows a stack trace", async () => {
    promise("cli.errors");
    using project = temporaryProject({ marked: false });
    const ended = await project.pawl("status");
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.err).toMatch(TWO_LINES);
    expect(ended.err).toContain("[project-missing]");
  });

  it("takes --project before or after the command, and $PAWL_PROJECT", async () => {
    using project = temporaryProject();
    const elsewhere = temporaryProject({ marked: false });
    for (const args of [
      ["--project", project.root, "status", "--json"],
      ["status", `--project=${project.root}`, "--json"],
    ]) {
      expect(JSON.parse((await runPawl(elsewhere.root, args)).out).project).toBe(project.root);
    }
    const named = await runPawl(elsewhere.root, ["status", "--json"], { PAWL_PROJECT: project.root });
    expect(JSON.parse(named.out).project).toBe(project.root);
    elsewhere[Symbol.dispose]();
  });

  it("alone shows where things stand, and outside a project how to begin", async () => {
    promise("cli.alone");
    using project = temporaryProject();
    expect(await project.pawl()).toEqual(await project.pawl("status"));
    expect(await project.pawl("--json")).toEqual(await project.pawl("status", "--json"));
    using other = temporaryProject({ marked: false });
    const { code, out } = await other.pawl();
    expect(code).toBe(0);
    expect(out).toContain("`pawl init`");
  });

  it("takes the words of a group, and calls the same command without them", async () => {
    promise("cli.groups");
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("tasks.yaml", "tasks:\n- {id: T1, title: One, status: todo}\n");
    const listed = await project.pawl("list", "todo");
    expect(await project.pawl("task", "list", "todo")).toEqual(listed);
    expect(await project.pawl("--project", project.root, "task", "list", "todo")).toEqual(listed);
    expect((await project.pawl("task")).out).toContain("  add <text>");
    expect((await project.pawl("task", "list", "--help")).out).toContain("Usage: pawl task list");
    expect((await project.pawl("worker", "drain", "--help")).out).toContain("  pawl worker drain ci-1\n");
  });

  it("is called bloom if it was called so", async () => {
    using project = temporaryProject({ environment: { PROGRAM_NAME: "/usr/bin/bloom" } });
    expect((await project.pawl("--help")).out).toContain("Usage: bloom");
    expect((await project.pawl("statu")).err).toContain("bloom: Unknown command 'statu'.");
  });
});

describe("pawl status, approve and reject", () => {
  it("let a person open the gate that a run waits at", async () => {
    using project = temporaryProject();
    await project.pawl("door", "knock", "front");
    expect((await project.pawl("status")).out).toBe(
      [
        "Door  Lets people in, if the person behind it says so.",
        "  door:front  The door front",
        "    knocked",
        "    waits for you: let them in, or not",
        "    pawl approve door:front",
        "",
        "1 run, 1 waits for you.",
        "",
      ].join("\n"),
    );
    expect(await project.person("reject", "front", "--notes", "Not today.")).toMatchObject({
      code: 0,
      out: "The door front is closed.\nTell your assistant to continue.\n",
    });
    expect(JSON.parse(project.read(".door/front.json") ?? "")).toEqual({
      state: "closed",
      by: "terminal",
      notes: "Not today.",
    });
    expect(await project.person("approve", "door:front")).toMatchObject({
      code: 1,
      out: "Nobody knocks at front.\n",
    });
  });

  it("name a run that cannot be read, with its fix, and still show the others", async () => {
    using project = temporaryProject();
    project.write(".door/front.json", "{ broken");
    await project.pawl("door", "knock", "back");
    const { code, out } = await project.pawl("status");
    expect(code).toBe(0);
    expect(out).toContain("    .door/front.json:1:1: expected JSON.\n    Mend or remove .door/front.json.");
    expect(out).toContain("door:back");
    const repair = await project.pawl("repair");
    expect(repair.code).toBe(1);
    expect(repair.out).toContain(".door/front.json:1:1: expected JSON.");
  });
});

describe("pawl log", () => {
  it("tells what the loop did in sentences, one for each fact", async () => {
    using project = temporaryProject();
    const of = { taskId: "T-2" };
    const moved = {
      type: "run:advanced",
      run: "bloom:T-2",
      machine: "bloom",
      event: "e",
      row: "r",
      from: "x",
    };
    const by = { channel: "library" };
    const events = [
      { type: "task:status_changed", ...of, from: "todo", to: "ready_for_agent", by: "w@vm:1" },
      { type: "task:claimed", ...of, worker: "w@vm:1", takenOver: false },
      { type: "step:started", ...of, stepId: "S-1", stepIndex: 0, totalSteps: 2 },
      { type: "agent:started", ...of, agent: "a", run: "T-2.1", purpose: "step", permission: "edits" },
      { type: "step:completed", ...of, stepId: "S-1", duration: 90_000 },
      { type: "merge:completed", ...of, branch: "bloom/T-2", into: "main", commit: "667f9" },
      { ...moved, to: "blocked", summary: "T-2 blocked: no tests", by },
      { type: "task:blocked", ...of, reason: "no tests" },
      { type: "task:invented_later", ...of },
    ];
    const time = "2026-01-02T03:04:05.000Z";
    const lines = events.map((event, id) => JSON.stringify({ id: String(id), time, ...event }));
    project.write(".pawl/events.jsonl", `${lines.join("\n")}\n`);
    const { code, out } = await project.pawl("log");
    expect(code).toBe(0);
    expect(
      out
        .split("\n")
        .slice(1, -1)
        .map((line) => line.replace(/^.{8} {2}/, "")),
    ).toEqual(
      [
        "todo → ready_for_agent, by w@vm:1",
        "claimed by w@vm:1",
        "step S-1 started (1 of 2)",
        "agent started: a, permission edits",
        "step S-1 done after 2 min",
        "merged bloom/T-2 into main",
        "blocked: no tests",
        "task invented later",
      ].map((text) => `bloom:T-2  ${text}`),
    );
    expect((await project.pawl("log", "--json")).out.trim().split("\n")).toEqual(lines);
  });
});

describe("pawl repair", () => {
  it("says that all is well, and changes nothing, if nothing is damaged", async () => {
    using project = temporaryProject();
    await project.pawl("door", "knock", "front");
    expect(await project.pawl("repair")).toEqual({
      code: 0,
      out: "No damage found: the journal is replayed, and every run can be read.\n",
      err: "",
    });
  });

  it("sets a damaged journal aside, which every other command names it for", async () => {
    using project = temporaryProject();
    const { transport, call } = await connect(project);
    await Promise.all(["a", "b", "c", "d"].map((id) => call("knock", { id })));
    // Killed before it had time to settle, so that the journal is still there.
    process.kill(transport.pid ?? 0, "SIGKILL");
    const journal = join(project.root, ".pawl/journal");
    writeFileSync(journal, readFileSync(journal).fill(0xff, 60, 80));
    rmSync(join(stateOf(project.root).folder, "applied"), { force: true });
    const refused = await project.pawl("status");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(
      /^pawl: The journal \.pawl\/journal is damaged.*\[journal-damaged\]\nfix: {2}Run `pawl repair`/,
    );
    const repaired = await project.pawl("repair");
    expect(repaired.out).toMatch(/^The journal was damaged; Pawl moved it to \.pawl\/kept/);
    expect((await project.pawl("status")).code).toBe(0);
  });
});

it("a review says that Pawl ran no check if the project names none", async () => {
  promise("evidence.checks");
  for (const [checks, says] of [
    ["", true],
    ["  checks: {test: 'true'}\n", false],
  ] as const) {
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("pawl.yaml", `alfred:\n  reviews: light\n${checks}`);
    project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
    project.trust();
    const call = async (tool: string, artifact?: object) => {
      const input = JSON.stringify({ task_id: "TS-01", ...(artifact && { artifact }) });
      const { code, err } = await project.pawl("call", tool, input);
      expect({ code, err }).toEqual({ code: 0, err: "" });
    };
    await call("start_task");
    await call("submit_work", { is_clean: true, current_branch: "main", uncommitted_files: [] });
    await call("submit_work", { branch_name: "feature/TS-01", success: true, details: "" });
    await call("implement_task");
    await call("submit_work", { summary: "s", completed_subtasks: [], testing_notes: "all pass" });
    const { out } = await project.pawl("review", "TS-01");
    expect(out).toContain("all pass");
    expect(out.includes("Pawl ran no check: the project names none.")).toBe(says);
  }
});

describe("pawl init", () => {
  it("creates what is missing, says so, and changes nothing the second time", async () => {
    promise("cli.init-twice");
    using project = temporaryProject({ marked: false });
    const first = await project.pawl("init");
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining("is in no git repository") });
    expect(first.out).toContain("created  pawl.yaml");
    for (const client of CLIENTS) expect(first.out).toContain(client);
    expect(first.out).toContain("Name your tests in `checks`");
    expect(first.out.split("\n").length).toBeLessThan(20);
    expect(first.out).not.toContain("{");
    const text = project.read("pawl.yaml");
    const second = await project.pawl("init");
    expect(second.out).toContain("unchanged  pawl.yaml");
    expect(project.read("pawl.yaml")).toBe(text);
    expect((await project.pawl("status")).code).toBe(0);
  });

  it("writes the size of the reviews that was named, and asks nothing without a terminal", async () => {
    promise("cli.init-size");
    using project = temporaryProject({ marked: false });
    expect((await project.pawl("init", "--reviews", "light")).code).toBe(0);
    expect(project.read("pawl.yaml")).toContain("alfred:\n  reviews: light");
    using other = temporaryProject({ marked: false });
    await other.pawl("init");
    expect(other.read("pawl.yaml")).not.toMatch(/^alfred:/m);
  });

  it("takes a size at the terminal: Enter is light, and no answer sets nothing", () => {
    promise("cli.init-size");
    const at = (...lines: (string | null)[]) =>
      sizeFromPerson({ write: () => {}, readLine: () => lines.shift() ?? null });
    expect([at(""), at("careful"), at("s"), at("y", "light"), at(null)]).toEqual([
      ...["light", "careful", "standard", "light", null],
    ]);
  });

  it("writes a client's configuration, keeps what is there, and connects a client that works", async () => {
    using project = temporaryProject();
    project.write("opencode.jsonc", '{\n  // mine\n  "theme": "dark"\n}\n');
    expect((await project.pawl("init", "--client", "opencode")).out).toContain("added to  opencode.jsonc");
    expect(project.read("opencode.jsonc")).toContain("// mine");
    expect(existsSync(join(project.root, "opencode.json"))).toBe(false);
    expect((await project.pawl("init", "--client", "opencode")).out).toContain("unchanged  opencode.jsonc");
    expect((await project.pawl("init", "--client", "claude-code")).out).toContain("created  .mcp.json");
    const { mcpServers } = JSON.parse(project.read(".mcp.json") ?? "");
    expect(mcpServers.pawl.args.at(-1)).toBe("mcp");
  });

  it("names the running Node and its own path to a client, and says that these are of this machine", async () => {
    using project = temporaryProject({ environment: { PATH: "/usr/nowhere" } });
    const { out } = await project.pawl("init", "--client", "cursor");
    const { command, args } = JSON.parse(project.read(".cursor/mcp.json") ?? "").mcpServers.pawl;
    expect(command).toBe(process.execPath);
    expect(args[0]).toMatch(/^\/.*main\.[jt]s$/);
    // Where a line breaks depends on how long the path is.
    const inOneLine = (text: string) => text.replace(/\s+/g, " ");
    expect(inOneLine(out)).toContain("contains a path on this machine");
    expect(inOneLine(out)).toContain("npx --no --package=pawl -- pawl mcp");
  });

  it("leaves a configuration that it cannot read as it is, and says how to add the entry", async () => {
    using project = temporaryProject();
    project.write(".cursor/mcp.json", '{ "mcpServers": ');
    const ended = await project.pawl("init", "--client", "cursor");
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(TWO_LINES);
    expect(ended.err).toContain(".cursor/mcp.json:1:17");
    expect(project.read(".cursor/mcp.json")).toBe('{ "mcpServers": ');
  });
});

describe("pawl check, diagram, config and completion", () => {
  it("prove a table and show the counts", async () => {
    using project = temporaryProject({ marked: false });
    const { code, out } = await project.pawl("check", "door");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^workflow +states +events +configs +inputs +rules +replies\ndoor +3 +2 +3 +5 +5 +5 {2}proved\n/,
    );
  });

  it("draw a table in three notations", async () => {
    using project = temporaryProject({ marked: false });
    expect((await project.pawl("diagram", "door")).out).toContain("stateDiagram-v2");
    expect((await project.pawl("diagram", "door", "--format", "markdown")).out).toContain("| knocked |");
    const xstate = await project.pawl("diagram", "door", "--format", "xstate");
    expect(JSON.parse(xstate.out)).toMatchObject({ id: "door", initial: "closed" });
  });

  it("show each setting with the place that it came from", async () => {
    using project = temporaryProject();
    project.write("pawl.yaml", "alfred:\n  evidence: require\n");
    const { out } = await project.pawl("config");
    expect(out).toMatch(/^alfred\.evidence: "require" +pawl\.yaml:2:13$/m);
    expect(out).toMatch(/^alfred\.provider: "local" +default$/m);
    project.write("pawl.yaml", "alfred:\n  evidense: require\n");
    const refused = await project.pawl("config");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("pawl.yaml:2:3: alfred.evidense is not a setting");
  });

  it.each(["bash", "zsh", "fish"])(
    "print a completion script for %s that asks the program",
    async (shell) => {
      using project = temporaryProject({ marked: false });
      const { code, out } = await project.pawl("completion", shell);
      expect(code).toBe(0);
      expect(out).toContain("__complete");
      expect(out).toMatch(/\bpawl\b.*\bbloom\b/);
      if (shell === "bash") execFileSync("bash", ["-n"], { input: out });
    },
  );

  const TASKS =
    'tasks:\n- {id: T1, title: "Build: it", status: todo}\n- {id: U2, title: Other, status: todo}\n';
  it.each([
    [["sta"], ["status", "stats", "start"]],
    [["help", "sta"], []],
    [
      ["init", "--client", "c"],
      ["claude-code", "codex", "cursor", "copilot"],
    ],
    [["completion", "f"], ["fish"]],
    [
      ["step", "s"],
      ["start", "show"],
    ],
    [
      ["done", ""],
      ["T1", "U2"],
    ],
    [
      ["done", "--"],
      ["--force", "--nothing", "--json", "--project", "--file", "--help", "--version"],
    ],
    [["--project", ".", "done", "U"], ["U2"]],
    [["--project", ""], []],
    [["ask", "T1", ""], []],
    [["nothing", ""], []],
  ])("complete %j", async (words, expected) => {
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("tasks.yaml", TASKS);
    const { code, out } = await project.pawl("__complete", ...words);
    expect(code).toBe(0);
    const offered = out.split("\n").filter(Boolean);
    expect(offered.map((line) => line.split("\t")[0])).toEqual(expected);
    if (words[0] === "done" && expected[0] === "T1") expect(offered[0]).toBe("T1\tBuild: it");
  });

  it("complete a line of bash's, in any folder", async () => {
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("tasks.yaml", TASKS);
    const { out: script } = await project.pawl("completion", "bash");
    project.write("bin/bloom", `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    const line = `chmod +x bin/bloom; PATH="$PWD/bin:$PATH"; COMP_WORDS=(bloom done ""); COMP_CWORD=2; _pawl; echo "\${COMPREPLY[@]}"`;
    const env = { ...process.env, DOOR_ONLY: "" };
    expect(
      execFileSync("bash", ["-c", `${script}\n${line}`], { cwd: project.root, env, encoding: "utf8" }),
    ).toBe("T1 U2\n");
  });

  it("show a command's help by `help` too", async () => {
    using project = temporaryProject({ marked: false });
    const asked = await project.pawl("help", "approve");
    expect(asked).toEqual(await project.pawl("approve", "--help"));
    expect((await project.pawl("help")).out).toBe((await project.pawl("--help")).out);
  });

  it("show no help of a command that there is not, but what is near", async () => {
    promise("cli.help");
    using project = temporaryProject({ marked: false });
    for (const words of [
      ["help", "stauts"],
      ["stauts", "--help"],
    ]) {
      const { code, err, out } = await project.pawl(...words);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain("Did you mean status?");
    }
  });
});
