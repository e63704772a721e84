import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openChecks } from "../src/adapters/checks/checks.ts";
import * as library from "../src/index.ts";
import {
  type Definition,
  defineWorkflow,
  type FunctionCall,
  fillBlocked,
  openMemoryStore,
  openProject,
  PawlError,
  type WorkflowDraft,
} from "../src/index.ts";
import { functionShop } from "./rig/function-shop.ts";
import { end, runPawl } from "./rig/project.ts";
import { promise } from "./rig/promise.ts";
import { shellUntil } from "./rig/until.ts";

const ROOT = resolve(import.meta.dirname, "..");

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-library-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the library's surface", () => {
  it("is these values", () => {
    expect(Object.keys(library).sort()).toEqual([
      "DEFAULT_SETTINGS",
      "ERROR_CODES",
      "PawlError",
      "check",
      "checkId",
      "checkReachable",
      "decide",
      "defineWorkflow",
      "fillBlocked",
      "guard",
      "initialConfiguration",
      "isId",
      "makeReviewMachine",
      "openMemoryStore",
      "openProject",
      "projectPath",
      "renderMermaid",
      "renderTable",
      "renderXState",
      "runTransaction",
      "xstateConfig",
    ]);
  });

  it("is these names, types included", () => {
    const text = readFileSync(join(ROOT, "src/index.ts"), "utf8");
    const names = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list
        .split(",")
        .map((name) => name.replace(/^\s*type\s/, "").trim())
        .filter(Boolean),
    );
    expect(text).not.toMatch(/export (\*|default)/);
    expect([...names].sort().join(" ")).toMatchInlineSnapshot(
      `"AfterCommit AgentEnd AgentEvent AgentFailure AgentFolder AgentFound AgentFunction AgentFunctions AgentLimits AgentOrder AgentRun AgentTurn AgentUsage Agents AlfredSettings Awaited BloomEvent Box Cache CacheEntry Caller Change ChangedFile CheckCounts CheckOptions CheckOutcome CheckReport Checkable Checks Clock Command Configuration Context DEFAULT_SETTINGS Decision DeferredCall Defined Definition DescribedState DiffOrder DraftEvent DraftState DraftTable ERROR_CODES EditKept Editor Elsewhere Entry ErrorCode EventDefinition Fact FactFunction FactSource FactValue Facts FetchFailure FileDiff Files ForgeFailure FunctionCall Gate Git GitAct GitChanges GitCommits GitDiff GitState Guard HumanQuestion LogLine LoopEnd MemoryStore Now OpenOptions OpenProject OpenQuestion Outcome Outside PawlError PawlEvent Permission PermissionQuestion PinnedBase ProjectEvent ProjectPath Proposal PullRequest PullRequestEnsured PullRequestOrder PullRequestState PullRequests Reference ReferenceFetch References Remark Reply ReviewFetch ReviewMachine ReviewMissing ReviewPart ReviewPlan ReviewPolicy ReviewedWork Reviewer Reviews Rule RuleFunction RunAdvanced RunCommand RunOverview RunReply Runtime SendOptions Setting Settings Snapshot State StateHint StateScope Store Transaction VerdictOptions View Violation ViolationKind WatchedPull WorkOptions Workflow WorkflowDraft Writes XStateConfig check checkId checkReachable decide defineWorkflow fillBlocked guard initialConfiguration isId makeReviewMachine openMemoryStore openProject projectPath renderMermaid renderTable renderXState runTransaction xstateConfig"`,
    );
  });
});

describe("the example program", () => {
  const run = (...words: string[]) =>
    end(
      spawn(
        process.execPath,
        [
          "--import",
          join(ROOT, "test/rig/pawl-by-name.ts"),
          join(ROOT, "examples/release.ts"),
          root,
          ...words,
        ],
        { stdio: ["ignore", "pipe", "pipe"] },
      ),
    );

  it("tries a workflow in memory, is killed in its function, and goes on", async () => {
    const killed = await run("--crash");
    expect(killed).toMatchObject({ code: null, err: "", out: "" });
    expect(await run()).toMatchObject({ code: 0, err: "", out: "It was publishing.\nIt is out.\n" });
    expect(readFileSync(join(root, "published.log"), "utf8")).toMatch(/^1\.2\.0 [\w-]+-run\n$/);
    expect((await run()).out).toMatch(/^It was published\.\n/);
  });
});

/** A door with a bell: pushed when the bell works, opened by a person. */
const DOOR: Definition = {
  table: fillBlocked(
    {
      name: "door",
      title: "A door",
      initial: "closed",
      goals: ["open"],
      states: {
        closed: { description: "It is closed." },
        rung: { description: "Somebody waits." },
        open: { description: "It is open.", final: true },
      },
      events: {
        ring: { description: "Ring the bell" },
        let_in: { description: "Let them in" },
        peek: { description: "Look through the keyhole" },
      },
      facts: {
        key: { description: "Whether there is a key.", values: ["present", "missing"] },
        list: { description: "The list.", values: ["none", "open", "all-checked"] },
        bell: { description: "Whether the bell works.", values: ["passed", "failed"] },
        mood: { description: "The mood.", values: ["kind", "grim"], initial: "kind" },
      },
      starts: [{ mood: "kind" }, { mood: "grim" }],
      rules: [
        {
          id: "no-key",
          from: ["closed"],
          on: "ring",
          when: [{ key: ["missing"] }, { key: ["present"], list: ["none", "open"] }],
          to: "same",
          outcome: "blocked",
          reply: "no",
        },
        {
          id: "silent",
          from: ["closed"],
          on: "ring",
          when: [{ key: ["present"], list: ["all-checked"], bell: ["failed"] }],
          to: "same",
          outcome: "blocked",
          reply: "silent",
        },
        {
          id: "rung",
          from: ["closed"],
          on: "ring",
          when: [{ key: ["present"], list: ["all-checked"], bell: ["passed"] }],
          to: "rung",
          outcome: "moved",
          reply: "rung",
        },
        {
          id: "dark",
          from: ["closed"],
          on: "peek",
          when: [{ key: ["missing"] }, { key: ["present"], bell: ["failed"] }],
          to: "same",
          outcome: "shown",
          reply: "no",
        },
        {
          id: "light",
          from: ["closed"],
          on: "peek",
          when: [{ key: ["present"], bell: ["passed"] }],
          to: "same",
          outcome: "shown",
          reply: "rung",
        },
        {
          id: "grim",
          from: ["rung"],
          on: "let_in",
          when: [{ mood: ["grim"] }],
          to: "same",
          set: { mood: "kind" },
          outcome: "moved",
          reply: "grim",
        },
        {
          id: "in",
          from: ["rung"],
          on: "let_in",
          when: [{ mood: ["kind"] }],
          to: "open",
          outcome: "moved",
          reply: "in",
        },
      ],
    },
    "no",
  ),
  sources: {
    key: { type: "file", path: "{{ id }}.key" },
    list: { type: "checklist", path: "{{ id }}.key" },
    bell: {
      type: "command",
      command: `echo ring >> rung.log; ${shellUntil("-e go")}; test -e bell`,
    },
  },
  gates: { let_in: "human" },
  replies: {
    no: "{{ event }}: no, in {{ state }}.",
    silent: "{{ checks.bell.exit_code }}",
    rung: "{{ run }} rings.",
    grim: "Not yet.",
    in: "Come in: {{ notes }}",
  },
};

const PERSON = { caller: { channel: "terminal" } } as const;
const read = (name: string) => readFileSync(join(root, name), "utf8");

/** With commands waited for so long, in milliseconds. */
async function open(patience = 20_000) {
  const checks = openChecks({ root, environment: process.env, patienceMilliseconds: patience });
  return openProject({ root, workflows: [DOOR], outside: { checks } });
}

describe("a run of a program's own workflow", () => {
  it("runs no command if the files decide already, and reads lists by a parser", async () => {
    const project = await open();
    const ring = async () => (await project.send("door:a", "ring")).data.row;
    expect(await ring()).toBe("no-key");
    expect((await project.send("door:a", "peek")).data.row).toBe("dark");
    writeFileSync(join(root, "a.key"), "```\n- [x] in a fence\n```\n");
    expect(await ring()).toBe("no-key");
    expect(() => read("rung.log")).toThrow();
    writeFileSync(join(root, "a.key"), "- [x] oiled\n");
    writeFileSync(join(root, "go"), "");
    expect(await project.send("door:a", "ring")).toMatchObject({ refused: true, text: "1\n" });
    writeFileSync(join(root, "bell"), "");
    expect(await ring()).toBe("rung");
    expect(read("rung.log")).toBe("ring\nring\n");
    await project.close();
  });

  it("finds a fact's command that outlasted the wait, and forgets it once it was decided by", async () => {
    writeFileSync(join(root, "a.key"), "- [x] oiled\n");
    const project = await open(100);
    const waiting = await project.send("door:a", "ring");
    expect(waiting).toMatchObject({ waits: true, data: { status: "running", state: "closed" } });
    const again = await (await open(100)).send("door:a", "ring");
    expect(again.data.status).toBe("running");
    writeFileSync(join(root, "go"), "");
    expect((await (await open()).send("door:a", "ring")).data.row).toBe("silent");
    expect(read("rung.log")).toBe("ring\n");
    expect(JSON.parse(read(".pawl/runs/door/a.json")).checks).toBeUndefined();
    writeFileSync(join(root, "bell"), "");
    expect((await (await open()).send("door:a", "ring")).data.row).toBe("rung");
    expect(read("rung.log")).toBe("ring\nring\n");
    await project.close();
  });

  it("begins as one of the table's starts, and lets only a person through a gate", async () => {
    for (const name of ["go", "bell"]) writeFileSync(join(root, name), "");
    writeFileSync(join(root, "a.key"), "- [x] oiled\n");
    const project = await open();
    await expect(project.send("door:a", "ring", { given: { mood: "odd" } })).rejects.toMatchObject({
      code: "workflow-invalid",
      message: expect.stringContaining("cannot begin with mood = odd"),
    });
    await project.send("door:a", "ring", { given: { mood: "grim" } });
    await expect(project.send("door:a", "let_in")).rejects.toMatchObject({ code: "caller-not-allowed" });
    expect((await project.send("door:a", "let_in", PERSON)).text).toBe("Not yet.\n");
    expect((await project.runs())[0]).toMatchObject({ run: "door:a", state: "rung", awaits: "human" });
    const reply = await project.send("door:a", "let_in", { ...PERSON, notes: "{{ run }} <b>" });
    expect(reply.text).toBe("Come in: {{ run }} <b>\n");
    await expect(project.send("door:a", "ring")).rejects.toMatchObject({ code: "no-effect" });
    await project.close();
  });

  it("shows at the command line what waits for a person, and says where it is decided", async () => {
    for (const name of ["go", "bell"]) writeFileSync(join(root, name), "");
    writeFileSync(join(root, "a.key"), "- [x] oiled\n");
    writeFileSync(join(root, "pawl.yaml"), "");
    const house: Definition = { ...DOOR, table: { ...DOOR.table, name: "gatehouse" } };
    const project = await openProject({ root, workflows: [house] });
    await project.send("gatehouse:a", "ring");
    await project.close();
    const status = JSON.parse((await runPawl(root, ["status", "--json"])).out);
    expect(JSON.stringify(status)).toContain('"gatehouse:a"');
    expect((await runPawl(root, ["status"])).out).toMatch(
      /gatehouse:a[\s\S]*waits for you: .*in the\s+program that runs it/,
    );
    expect((await runPawl(root, ["show", "gatehouse:a"])).out).toContain("## ring: closed → rung");
    const approved = await runPawl(root, ["approve", "gatehouse:a"]);
    expect(approved).toMatchObject({
      code: 2,
      err: expect.stringContaining("The table of gatehouse is in a program"),
    });
  });

  it("fails loudly if an advance of the program's own asks for a person", async () => {
    const project = await openProject({ root, workflows: [] });
    const asking = {
      run: () => "own:1",
      read: async () => null,
      propose: () => ({ reply: { text: "", data: {} }, ask: { message: "Go on?" } }),
    };
    await expect(project.runTransaction(asking, {})).rejects.toMatchObject({
      code: "caller-not-allowed",
      message: expect.stringContaining("The question: Go on?"),
    });
    await project.close();
  });

  it("takes one of two sends at once, and the other decides on what it left", async () => {
    for (const name of ["go", "bell"]) writeFileSync(join(root, name), "");
    writeFileSync(join(root, "a.key"), "- [x] oiled\n");
    const [one, other] = [await open(), await open()];
    const replies = await Promise.all([one.send("door:a", "ring"), other.send("door:a", "ring")]);
    expect(replies.map(({ data }) => data.row).sort()).toEqual(["blocked.ring", "rung"]);
    const steps = read(".pawl/log/door/a.jsonl").trimEnd().split("\n");
    expect(steps.map((line) => JSON.parse(line).step.kind)).toEqual(["begun", "moved"]);
  });

  it("is refused with all that is wrong with its definition", () => {
    const wrong: Definition = {
      ...DOOR,
      sources: { ...DOOR.sources, mood: { type: "given" }, key: { type: "file", path: "../{{ id }}" } },
      gates: { let_inn: "human" },
    };
    const fault = (definition: Definition) => {
      try {
        defineWorkflow(definition);
      } catch (thrown) {
        return thrown as PawlError;
      }
      throw new Error("It was not refused.");
    };
    expect(fault(wrong)).toBeInstanceOf(PawlError);
    expect(fault(wrong).message).toContain(
      '(1) door: fact key: the path "../{{ id }}" cannot be used: it has the segment ".."',
    );
    expect(fault(wrong).message).toContain("(2) door: fact mood: a variable has no source.");
    expect(fault(wrong).message).toContain("(3) door: gate let_inn: the table has no such event.");
    expect(fault({ ...DOOR, replies: { ...DOOR.replies, in: "{% if %}" } }).message).toContain(
      "door, reply in:1",
    );
  });
});

describe("a program's functions", () => {
  it("answer facts, and act once after the commit of their rule, whose end moves the run", async () => {
    promise("library.functions");
    const calls: FunctionCall[] = [];
    const workflow = functionShop({
      risk: ({ id }) => (id === "big" ? "high" : "low"),
      async publish(call) {
        calls.push(call);
        expect(JSON.parse(read(".pawl/runs/shop/a.json"))).toMatchObject({
          state: "publishing",
          kept: { tries: 1 },
        });
        return `uploaded ${call.id}`;
      },
    });
    const project = await openProject({ root, workflows: [workflow] });
    expect((await project.send("shop:big", "publish")).refused).toBe(true);
    const { data, text } = await project.send("shop:a", "publish");
    expect([data.state, data.kept]).toEqual(["live", { tries: 1 }]);
    expect(text).toContain("live: uploaded a");
    expect(calls).toEqual([
      {
        run: "shop:a",
        id: "a",
        state: "publishing",
        kept: { tries: 1 },
        key: expect.stringMatching(/-run$/),
      },
    ]);
    await project.close();
  });

  it("that throw end as a command that failed, and a fact's answer must be one of its values", async () => {
    promise("library.functions");
    const fail = () => {
      throw new Error("the shelf is full");
    };
    const failing = await openProject({ root, workflows: [functionShop({ publish: fail })] });
    expect((await failing.send("shop:a", "publish")).text).toContain("draft: the shelf is full");
    await failing.close();
    const guessing = await openProject({ root, workflows: [functionShop({ risk: () => "odd" })] });
    await expect(guessing.send("shop:b", "publish")).rejects.toMatchObject({
      code: "workflow-invalid",
      message: expect.stringContaining('answered "odd": expected one of low, high'),
    });
    await guessing.close();
  });

  it("are called once for two who wait for one end, and again with their key after a crash", async () => {
    promise("library.functions");
    const crash = [join(ROOT, "test/rig/function-shop.ts"), root];
    const killed = await end(spawn(process.execPath, crash, { stdio: ["ignore", "pipe", "pipe"] }));
    expect(killed).toMatchObject({ code: null, err: "" });
    const keys: string[] = [];
    const goOn = Promise.withResolvers<void>();
    const workflow = functionShop({
      async publish({ key }) {
        keys.push(key);
        await goOn.promise;
      },
    });
    const project = await openProject({ root, workflows: [workflow] });
    expect((await project.look("shop:a")).data.state).toBe("publishing");
    const both = [project.send("shop:a"), project.send("shop:a")];
    goOn.resolve();
    await Promise.all(both);
    expect(keys).toEqual([killed.out]);
    expect((await project.look("shop:a")).data.state).toBe("live");
    await project.close();
  });
});

describe("a project in memory", () => {
  it("keeps its runs and events in the process, and writes nothing to the disk", async () => {
    promise("library.memory");
    const nowhere = join(root, "nowhere");
    const home = join(root, "home");
    const store = openMemoryStore();
    const environment = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, "state") };
    const project = await openProject({ root: nowhere, workflows: [functionShop({})], store, environment });
    const told: string[] = [];
    const stop = new AbortController();
    const followed = (async () => {
      for await (const event of project.events({ follow: true, signal: stop.signal }))
        if (told.push(event.type) === 2) stop.abort();
    })();
    expect((await project.send("shop:a", "publish")).data.state).toBe("live");
    await followed;
    expect(told).toEqual(["run:advanced", "run:advanced"]);
    expect(await project.runs()).toMatchObject([{ run: "shop:a", state: "live" }]);
    await project.close();
    expect([nowhere, home].filter(existsSync)).toEqual([]);
    const again = await openProject({ root: nowhere, workflows: [functionShop({})], store, environment });
    expect((await again.look("shop:a")).data.state).toBe("live");
    await again.close();
  });
});

describe("a definition and a project that cannot be used", () => {
  it("a table that does not decide each case is refused if it is defined", () => {
    promise("library.proved");
    const { rules, ...table } = DOOR.table;
    const partly = { ...DOOR, table: { ...table, rules: rules.filter(({ id }) => id !== "dark") } };
    expect(() => defineWorkflow(partly)).toThrow(/is not proved.*peek/s);
  });

  it("takes no call once it is closed", async () => {
    promise("library.closed");
    const project = await open();
    await project.send("door:a", "ring");
    await project.close();
    const closed = { code: "invalid-action", message: expect.stringContaining("is closed") };
    await expect(project.send("door:a", "peek")).rejects.toMatchObject(closed);
    await expect(project.look("door:a")).rejects.toMatchObject(closed);
    await expect(project.runs()).rejects.toMatchObject(closed);
    expect(() => project.events()).toThrow("is closed");
    await project.close();
  });
});

describe("gates and hints that a table says at its events and states, as a file does", () => {
  const states = {
    ...DOOR.table.states,
    rung: { description: "Somebody waits.", awaits: "human", next: "let them in" },
  } as const;
  const events = {
    ...DOOR.table.events,
    let_in: { description: "Let them in", verdict: "approve" },
  } as const;
  const drafted = (table: object): WorkflowDraft => {
    const { gates: _, hints: __, ...rest } = DOOR;
    return { ...rest, table: { ...DOOR.table, ...table } };
  };

  it("count as if they stood in `gates` and `hints`, and the table's hash is the same", () => {
    promise("library.gates");
    const defined = defineWorkflow(drafted({ events, states }));
    expect(defined.gates).toEqual({ let_in: "approve" });
    expect(defined.hints).toEqual({ rung: { awaits: "human", next: "let them in" } });
    expect(JSON.stringify(defined.table)).toBe(JSON.stringify(DOOR.table));
    expect(defineWorkflow(defined)).toBe(defined);
  });

  it.each([
    [
      { table: { ...DOOR.table, events: { ...events, let_in: { description: "x", verdct: "approve" } } } },
      "did you mean verdict?",
    ],
    [
      { table: { ...DOOR.table, events: { ...events, let_in: { description: "x", gate: "anybody" } } } },
      'expected human; found "anybody"',
    ],
    [
      { table: { ...DOOR.table, states: { ...states, rung: { description: "x", wirtes: "none" } } } },
      "did you mean writes?",
    ],
    [{ table: { ...DOOR.table, rows: [] } }, "in a program it is `rules`"],
    [
      { table: { ...DOOR.table, rules: [{ ...DOOR.table.rules[0], run: {} }] } },
      "in a program it is `commands",
    ],
    [{ plan_files: ["x"] }, "in a program it is `planFiles`"],
    [{ gate: { let_in: "human" } }, "did you mean gates?"],
    [{ gates: { let_in: "person" } }, 'expected human, approve, reject; found "person"'],
    [{ hints: { rung: { waits: "human" } } }, "did you mean awaits?"],
    [{ sources: { ...DOOR.sources, key: { type: "file", file: "x" } } }, "file is not a key"],
    [{ sources: { ...DOOR.sources, key: { type: "folder", path: "x" } } }, "expected file, checklist,"],
  ])("are refused if a key or a word is unknown: %j", (change, words) => {
    promise("library.gates");
    expect(() => defineWorkflow({ ...DOOR, ...change } as WorkflowDraft)).toThrow(words);
  });
});
