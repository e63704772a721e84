/**
 * A person's first use: an empty home, an empty repository, the client's own command that installs the package, and then the first
 * prompt of start_task. Nothing of Pawl is on the PATH.
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buildBundles } from "../../scripts/build-bundles.ts";
import type { ModelServer } from "../rig/model/server.ts";
import { freshFolder } from "./agent-project.ts";
import { call, ID, TASK } from "./clients.ts";
import { type Driven, GEMINI_MODEL } from "./programs.ts";

const LIMIT = 120_000;
const MCP = "mcp__plugin_pawl_pawl__";
/** Programs look for other people's plugins where they may have any: at a door that is closed, and not elsewhere. */
const NOWHERE = "http://127.0.0.1:9";
const CLOSED = {
  ...{ HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, ALL_PROXY: NOWHERE, NO_PROXY: "127.0.0.1,localhost" },
  ...{ http_proxy: NOWHERE, https_proxy: NOWHERE, all_proxy: NOWHERE, no_proxy: "127.0.0.1,localhost" },
};

const REFUSED = /person changes it|Pawl keeps it|Read-only file system/;

interface Packaged {
  /** The command lines that install it, with what a person types when one asks. */
  install(marketplace: string): readonly (readonly string[])[];
  readonly yes?: string;
  readonly args: readonly string[];
  /** Whether its guard holds as soon as the package is installed; Codex runs its hooks once a person trusts them. */
  readonly guards: boolean;
  readonly before?: string;
  prepare?(home: string): void;
  /** What its own checker says of the package. */
  validate?(marketplace: string): readonly (readonly string[])[];
}

const PACKAGED: Readonly<Record<string, Packaged>> = {
  claude: {
    validate: (marketplace) =>
      [marketplace, join(marketplace, "clients/claude-code")].map((path) => [
        ...["plugin", "validate", "--strict", path],
      ]),
    install: (marketplace) => [["plugin", "install", "pawl", "--marketplace", marketplace]],
    args: ["-p", "--permission-mode", "acceptEdits", "--allowedTools", `${MCP}*`, "Bash"],
    guards: true,
    before: `CALL: ToolSearch {"query":"select:${MCP}create_task,${MCP}start_task"}`,
  },
  codex: {
    // A plugin is nothing to it where plugins are turned off.
    prepare(home) {
      const file = join(home, "codex/config.toml");
      writeFileSync(file, readFileSync(file, "utf8").replace("plugins = false", "plugins = true"));
    },
    install: (marketplace) => [
      ["plugin", "marketplace", "add", marketplace],
      ["plugin", "add", "pawl@pawl"],
    ],
    args: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"],
    guards: false,
  },
  opencode: {
    install: (marketplace) => [["plugin", "--global", join(marketplace, "clients/opencode")]],
    args: ["run", "--format", "json"],
    guards: true,
  },
  gemini: {
    install: (marketplace) => [["extensions", "install", "--consent", join(marketplace, "clients/gemini")]],
    yes: "y\n",
    args: ["-o", "json", "--approval-mode", "yolo", "--skip-trust", "-m", GEMINI_MODEL],
    guards: true,
  },
};

export function isPackaged({ name }: Driven): boolean {
  return Object.hasOwn(PACKAGED, name);
}

/** What the guard of the package holds back: a protected place, by the program's own tool and by the shell. */
const EDITS = ["WRITE: pawl.yaml bloom: { tries: 9 }", "RUN: printf x > .alfred/config.yml"];
const EDITED = ["pawl.yaml", ".alfred/config.yml"];

/** Throws where the prompt is not reached; returns how long it took. */
export async function firstUse(driven: Driven, binary: string, model: ModelServer): Promise<string> {
  const packaged = PACKAGED[driven.name];
  assert.ok(packaged, driven.name);
  const [home, root, made] = ["home", "first", "bundles"].map(freshFolder) as [string, string, string];
  try {
    const { marketplace } = buildBundles(made);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const PATH = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
    const env = { PATH, HOME: home, LANG: "C.UTF-8", ...CLOSED, ...driven.environment(home, model.url) };
    packaged.prepare?.(home);
    const start = (args: readonly string[], input: string) => run(binary, args, input, { cwd: root, env });
    for (const args of packaged.validate?.(marketplace) ?? []) await start(args, "");
    const begun = performance.now();
    for (const args of packaged.install(marketplace)) await start(args, packaged.yes ?? "");
    const acts = [call("create_task", { task_content: TASK }), call("start_task", { task_id: ID })];
    const before = packaged.before ? [packaged.before] : [];
    const tried = packaged.guards ? EDITS : [];
    const lines = ["Begin.", ...before, ...acts, ...tried, "SAY: it is begun"];
    const told = await start(packaged.args, lines.join("\n"));
    const took = ((performance.now() - begun) / 1000).toFixed(0);
    const answers = model.asked.flatMap(({ said }) => said).filter((one) => one.by === "tool");
    assert.ok(
      answers.some(({ text }) => text.includes("# TOOL: `start_task`")),
      told.slice(0, 3000),
    );
    if (!packaged.guards) return `the first prompt of start_task after ${took} s`;
    for (const [at, path] of EDITED.entries()) {
      const answer = answers.at(at - EDITED.length)?.text ?? "";
      assert.match(answer, REFUSED, `${EDITS[at]}\n${answer.slice(0, 1500)}`);
      assert.ok(answer.includes(path), answer.slice(0, 1500));
      assert.ok(!existsSync(join(root, path)), path);
    }
    return `the first prompt of start_task after ${took} s; an edit of Pawl's own files is refused`;
  } finally {
    for (const folder of [home, root, made]) rmSync(folder, { recursive: true, force: true });
  }
}

function run(
  program: string,
  args: readonly string[],
  input: string,
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn(program, [...args], { ...where, timeout: LIMIT, killSignal: "SIGKILL" });
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => void texts.push(String(text)));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      const told = texts.join("");
      if (code === 0) done(told);
      else fail(new Error(`${args.join(" ")}: ${code}\n${told}`));
    });
  });
}
