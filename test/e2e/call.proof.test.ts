/** An assistant with a shell and no MCP: whole lives by `pawl call`. */
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { AlfredProject, taskMarkdown } from "../rig/alfred-project.ts";
import { follow, type Heard } from "../rig/literal-client.ts";
import { MAIN, pawlInside, personInside, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const SHIPPED = { DOOR_ONLY: "" };
const CLAUDE = { ...SHIPPED, CLAUDECODE: "1" };

function committed(humanReview: string): AlfredProject {
  const made = new AlfredProject();
  made.write(".gitignore", "");
  made.write("src/server.txt", "server\n");
  made.write("pawl.yaml", `alfred:\n  human_review: ${humanReview}\n`);
  made.write(".alfred/tasks/TS-01.md", taskMarkdown(ID));
  made.commit("Begin");
  return made;
}

/** What it heard, and how often it had to send the person to a terminal. */
function shellOf(made: AlfredProject, environment: Readonly<Record<string, string>>) {
  const sent: string[] = [];
  const call = async (tool: string, input: Record<string, unknown>): Promise<Heard> => {
    const { code, err, out } = await pawlInside(
      made.root,
      ["call", tool, JSON.stringify(input)],
      environment,
    );
    const command = /Ask the human to run `pawl approve (\S+)`/.exec(err)?.[1];
    if (command === undefined) return { text: out || err, isError: code === 1 || code === 2 };
    sent.push(command);
    const isApproval = input.is_approved === true;
    const words = isApproval ? ["approve", command] : ["reject", command, "-m", "Say it better."];
    const { code: decided, err: why } = await personInside(made.root, words, SHIPPED);
    if (decided !== 0) throw new Error(why);
    return call("work_on_task", { task_id: ID });
  };
  return { call, sent };
}

describe("an assistant without MCP", () => {
  test.each([
    ["relay", CLAUDE, 5],
    ["elicit", SHIPPED, 5],
    ["confirm", CLAUDE, 0],
  ] as const)(
    "comes from start to done under %s by `pawl call`, and a person's verdicts stay a person's",
    { timeout: 300_000 },
    async (humanReview, environment, asked) => {
      promise("clients.shell");
      using made = committed(humanReview);
      const { call, sent } = shellOf(made, environment);
      const seen = new Set<string>();
      const approves = (prompt: string, who: string) => {
        const key = `${/^# TOOL: `(\w+)`/m.exec(prompt)?.[1]} ${who}`;
        return seen.size === seen.add(key).size;
      };
      const calls = await follow(
        call,
        {
          approves,
          file: "src/server.txt",
          run: (command) => execFileSync("sh", ["-c", command], { cwd: made.root, encoding: "utf8" }),
          async decides(task, isApproval) {
            const words = isApproval ? ["approve", task] : ["reject", task, "-m", "Say it better."];
            const { code, err } = await personInside(made.root, words, SHIPPED);
            if (code !== 0) throw new Error(err);
          },
          builds: async () => made.write("src/server.txt", `${made.read("src/server.txt")}more\n`),
        },
        await call("work_on_task", { task_id: ID }),
      );
      expect(made.state(ID).task_status).toBe("done");
      expect(calls).toContain("finalize_task");
      expect(sent.length > 0).toBe(asked > 0);
      const { out } = await pawlInside(made.root, ["show", ID, "--json"], SHIPPED);
      const story = JSON.stringify(JSON.parse(out));
      expect(story).toContain('"terminal"');
      expect(story).not.toContain('"relayed"');
    },
  );
});

const READ = ["call", "get_next_task"] as const;

describe("`pawl call`", () => {
  test("takes its arguments typed, from a file, and on standard input, with a BOM, too", async () => {
    promise("clients.shell");
    using project = temporaryProject({ environment: SHIPPED });
    await project.pawl("init");
    project.write(".alfred/tasks/TS-01.md", taskMarkdown(ID));
    project.write("given.json", `\uFEFF{"task_id": "${ID}"}`);
    const run = (args: readonly string[], input?: string) =>
      spawnSync(process.execPath, [MAIN, "call", ...args, "--json"], {
        cwd: project.root,
        env: testEnvironment(SHIPPED),
        encoding: "utf8",
        ...(input !== undefined && { input }),
      });
    const task = { task_id: ID };
    const typed = run(["work_on_task", JSON.stringify(task)]);
    expect(JSON.parse(typed.stdout)).toMatchObject({ status: "success" });
    for (const other of [
      run(["work_on_task", "@given.json"]),
      run(["work_on_task", "-"], `{"task_id":"${ID}"}`),
    ])
      expect(JSON.parse(other.stdout)).toEqual(JSON.parse(typed.stdout));
  });

  test.each([
    ["no JSON", ["call", "work_on_task", "{task_id: TS-01}"], 2, "are not JSON"],
    ["a list", ["call", "work_on_task", "[1]"], 2, "expected"],
    ["a file that is not there", ["call", "work_on_task", "@none.json"], 2, "cannot be read from none.json"],
    ["a folder", ["call", "work_on_task", "@."], 2, "cannot be read from ."],
    ["a device without an end", ["call", "work_on_task", "@/dev/zero"], 2, "more than 8 MB"],
    ["a tool that is near", ["call", "work_on_tasks"], 2, "did you mean work_on_task?"],
    ["an argument that is near", ["call", "work_on_task", '{"taskid": "TS-01"}'], 2, "did you mean task_id?"],
    ["a hostile id", ["call", "work_on_task", '{"task_id": "\\u001b[31mX"}'], 1, "The task id is not valid"],
  ])("refuses %s, and says what it expects", async (_, args, code, words) => {
    using project = temporaryProject({ environment: SHIPPED });
    await project.pawl("init");
    const ended = await project.pawl(...args);
    const said = ended.err + ended.out;
    expect([ended.code, said]).toEqual([code, expect.stringContaining(words)]);
    expect(said).not.toContain("\u001b[31mX");
  });

  test("shows what a tool takes, and calls nothing then", async () => {
    promise("clients.shell");
    using project = temporaryProject({ environment: SHIPPED });
    const { code, out } = await project.pawl("call", "submit_work", "--schema");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      name: "submit_work",
      input: { type: "object", properties: { task_id: {}, artifact: {} }, additionalProperties: false },
    });
    expect(project.read(".alfred/config.yml")).toBeNull();
  });

  test("waits for nobody: its reader may stop early", async () => {
    using project = temporaryProject({ environment: SHIPPED });
    await project.pawl("init");
    const line = `"${process.execPath}" "${MAIN}" ${READ.join(" ")} | head -c 1`;
    const { status, stderr } = spawnSync("sh", ["-c", line], {
      cwd: project.root,
      env: testEnvironment(SHIPPED),
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
