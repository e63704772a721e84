/** What a task has for itself while it is at work, with real processes that hold ports and files. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject, ranOf } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";
import { NO_WALL } from "../rig/wall.ts";

const LONG = 60_000;

/** A server that says who it is on its port; its pid and its end are written down. */
const SERVER = `const { PAWL_NAME, PAWL_PORT_1 } = process.env;
require("node:net").createServer((socket) => socket.end(PAWL_NAME)).listen(Number(PAWL_PORT_1), "127.0.0.1", () =>
  require("node:fs").writeFileSync("../" + PAWL_NAME + ".pid", String(process.pid)));
`;
const UP = `echo "up $PAWL_NAME $PAWL_SLOT $PAWL_PORT_1 $PAWL_PORT_2" >> ../log; NODE ../server.cjs & ${shellUntil('-s "../$PAWL_NAME.pid"')}`;
const DOWN = `echo "down $PAWL_NAME" >> ../log; kill "$(cat "../$PAWL_NAME.pid")"; rm "../$PAWL_NAME.pid"`;
/** Reaches the task's own server, and listens on its other port. */
const CHECK = `exec 3<>/dev/tcp/127.0.0.1/$PAWL_PORT_1; test "$(cat <&3)" = "$PAWL_NAME"; echo "check $PAWL_NAME $PAWL_SLOT" >> "$PLACE/log"`;

const task = (id: string, work = "true") => `- id: ${id}
  title: ${id}
  repo: .
  merge_into: main
  verify: ['${CHECK}']
  instructions: |
    RUN: ${CHECK}
    RUN: ${work}
    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
    RUN: bloom done ${id}
`;

function opened(
  tasks: string,
  more: Readonly<Record<string, unknown>> = {},
  settings: object = {},
): BloomProject {
  const node = process.execPath;
  const environment = {
    ...{ variables: ["PLACE"], ports: 2, up: UP.replace("NODE", node), down: DOWN },
    ...((more.environment ?? {}) as object),
  };
  const agents = { scripted: { environment: ["PLACE"] } };
  const project = bloomProject({
    tasks: `tasks:\n${tasks}`,
    settings: { agents: 2, ...settings },
    project: { agents, ...more, environment },
  });
  Object.assign(project.environment, { PLACE: join(project.root, "..") });
  project.write("../server.cjs", SERVER);
  project.write("../log", "");
  return project;
}

const log = (project: BloomProject) => (project.read("../log") ?? "").trim().split("\n");
const said = (project: BloomProject, word: string) =>
  log(project).filter((line) => line.startsWith(`${word} `));
const servers = (project: BloomProject) =>
  readdirSync(join(project.root, "..")).filter((name) => name.endsWith(".pid"));
const isAlive = (pid: string) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");

describe("A task's environment", () => {
  it("is its own, the same for agent, verify and merge check, and gone at the end", {
    timeout: LONG,
  }, async () => {
    promise("bloom.environment");
    using project = opened(task("T1") + task("T2") + task("T3"));
    const ran = await project.run();
    expect(ran.code).toBe(0);
    const ups = said(project, "up").map((line) => line.split(" "));
    expect(new Set(ups.map(([, name]) => name)).size).toBe(3);
    expect(ups.every(([, , slot]) => slot === "0" || slot === "1")).toBe(true);
    // Agent, verify, merge check.
    expect(said(project, "check")).toHaveLength(9);
    expect(said(project, "down")).toHaveLength(3);
    expect(servers(project)).toEqual([]);
    expect(readdirSync(join(project.root, ".pawl/environments"))).toEqual([]);
    expect(ran.of("environment:down").map(({ exit, abandoned }) => [exit, abandoned])).toEqual(
      Array(3).fill([0, false]),
    );
  });

  it.skipIf(NO_WALL).each(["all", "model", "none"])(
    "is there behind the wall, too (network: %s)",
    {
      timeout: LONG,
    },
    async (network) => {
      promise("bloom.environment");
      // Nothing outside uses the other port: it is free for a server of the agent's.
      const listen = `${process.execPath} -e "require('net').createServer().listen(process.env.PAWL_PORT_2, '127.0.0.1', () => process.exit())"`;
      using project = opened(task("T1", listen), { sandbox: { kind: "bwrap", network, write: ["../log"] } });
      const ran = await project.run();
      expect(ran.code, ran.err).toBe(0);
      expect(said(project, "check")).toHaveLength(3);
      expect(servers(project)).toEqual([]);
    },
  );

  it("outlives a killed loop, is shown, and is taken away once by the next, which gives its slot back", {
    timeout: LONG,
  }, async () => {
    promise("bloom.environment");
    const once = `test -e "$PLACE/again" || { touch "$PLACE/again"; ${hangs()}; }`;
    using project = opened(task("T1", once));
    const first = project.start();
    await until(() => project.read("../again") !== null);
    const [name = ""] = servers(project).map((each) => each.slice(0, -".pid".length));
    const pid = project.read(`../${name}.pid`) ?? "";
    const [, , , port] = said(project, "up")[0]?.split(" ") ?? [];
    const shown = await project.bloom("status");
    expect(shown.out).toContain(`has ${name} for itself: slot 0, ports ${port}`);
    await killed(first);
    expect(isAlive(pid)).toBe(true);
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(said(project, "down")).toEqual([`down ${name}`, `down ${name}`]);
    expect(said(project, "up").map((line) => line.split(" ")[2])).toEqual(["0", "0"]);
    expect(ran.of("environment:down").map(({ abandoned }) => abandoned)).toEqual([true, false]);
  });

  it("that was still being made when its loop was killed is ended first", { timeout: LONG }, async () => {
    promise("bloom.environment");
    using project = opened(task("T1"), {
      environment: {
        up: `echo "up $PAWL_NAME" >> ../log; test -e ../again || { touch ../again; ${hangs()}; echo late >> ../log; }`,
        down: `echo "down $PAWL_NAME" >> ../log`,
      },
    });
    project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replaceAll(CHECK, "true"));
    const first = project.start();
    await until(() => project.read("../again") !== null);
    await killed(first);
    expect((await project.run()).code).toBe(0);
    expect(log(project).map((line) => line.split(" ")[0])).toEqual(["up", "down", "up", "down"]);
  });

  it("leaves nothing running if nothing takes it away", { timeout: LONG }, async () => {
    using project = opened(task("T1"), { environment: { down: undefined } });
    expect((await project.run()).code).toBe(0);
    const [name = ""] = servers(project);
    expect(isAlive(project.read(`../${name}`) ?? "")).toBe(false);
  });

  it("needs a person's agreement, as every command of the project's files", { timeout: LONG }, async () => {
    promise("bloom.environment");
    using project = opened(task("T1"));
    const text = project.read("pawl.yaml") ?? "";
    execFileSync(
      "sh",
      ["-c", 'printf %s "$1" > pawl.yaml', "sh", text.replace("../log; kill", "../log; true; kill")],
      {
        cwd: project.root,
      },
    );
    const { code, err } = await project.bloom("run", "--once");
    expect(code).toBe(1);
    expect(err).toContain("project-untrusted");
    expect(err).toContain("the environment of tasks");
    expect(log(project)).toEqual([""]);
  });
});

describe("What is exclusive", () => {
  it("is used by one task at a time, and status says by which", { timeout: LONG }, async () => {
    promise("bloom.exclusive");
    const held = 'mkdir "$PLACE/emulator" && rmdir "$PLACE/emulator"';
    using project = opened(
      task(
        "T1",
        `mkdir "$PLACE/emulator"; touch "$PLACE/first"; ${shellUntil('-e "$PLACE/go"')}; rmdir "$PLACE/emulator"`,
      ) + task("T2", held),
      { environment: { exclusive: ["emulator"] } },
    );
    const running = project.start("--once");
    await until(() => project.read("../first") !== null);
    const status = (await project.bloom("status")).out;
    expect(status).toMatch(/has pawl-t1-\w+ for itself: slot 0, ports \d+, \d+, emulator/);
    expect(status).toContain("waits for emulator, which T1 has");
    project.write("../go", "");
    expect((await ranOf(running)).code).toBe(0);
    expect(said(project, "up").length).toBe(2);
  });
});

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
