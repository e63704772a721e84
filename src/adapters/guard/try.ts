/**
 * Tests the installed guard: a client's hook, OpenCode's plugin and git's hooks, each with a planted
 * violation.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GuardedHook, HookState } from "../../core/ports/git-hooks.ts";
import type { Environment } from "../process/environment.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { spawnSync } from "../process/start-program.ts";

export interface Tried {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const CLIENT_TIMEOUT = 60_000;

/** A hook's command, as the client starts it. */
export function tryCommand(command: string, input: string, cwd: string, environment: Environment): Tried {
  return run("sh", ["-c", command], { cwd, environment: plain(environment), input });
}

/** The plugin's function before a tool, in Node instead of OpenCode. It refuses by throwing. */
export function tryPlugin(text: string, call: string, cwd: string, environment: Environment): Tried {
  return inScratch((scratch) => {
    writeFileSync(join(scratch, "pawl.mjs"), text);
    writeFileSync(join(scratch, "call.mjs"), CALL_PLUGIN);
    const options = { cwd, environment: plain(environment), input: call };
    return run(process.execPath, [join(scratch, "call.mjs"), join(scratch, "pawl.mjs")], options);
  });
}

const CALL_PLUGIN = `import { readFileSync, writeSync } from "node:fs";
const plugin = await import(process.argv[2]);
const { input, output, place } = JSON.parse(readFileSync(0, "utf8"));
try {
  for (const open of Object.values(plugin)) await (await open(place))["tool.execute.before"](input, output);
} catch (refused) {
  writeSync(1, refused.message);
  process.exitCode = 2;
}
`;

/**
 * Tests only the guard's lines of each hook, in a repository of its own, whose project allows no commit and
 * no push. Git calls them in an environment with an agent's variable.
 */
export function tryGitHooks(
  hooks: readonly HookState[],
  root: string,
  environment: Environment,
): Readonly<Record<GuardedHook, Tried>> {
  return inScratch((scratch) => {
    const cwd = join(scratch, "project");
    const state = { XDG_STATE_HOME: join(scratch, "state"), CLAUDECODE: "1" };
    const git = (...args: string[]) =>
      run("git", args, { cwd, environment: { ...plain(environment), ...IDENTITY, ...state } });
    mkdirSync(cwd);
    git("init", "-q", "-b", "main", ".");
    git("init", "-q", "--bare", "../remote.git");
    git("commit", "-q", "--allow-empty", "-m", "Begin");
    plantProject(cwd, root);
    for (const { name, script } of hooks)
      writeFileSync(join(cwd, ".git/hooks", name), script, { mode: 0o755 });
    return {
      "pre-commit": git("commit", "-q", "--allow-empty", "-m", "Canary"),
      "pre-push": git("push", "-q", "../remote.git", "HEAD:refs/heads/canary"),
    };
  });
}

/** Excludes the person's own configuration. */
const IDENTITY = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Canary",
  GIT_AUTHOR_EMAIL: "canary@localhost",
  GIT_COMMITTER_NAME: "Canary",
  GIT_COMMITTER_EMAIL: "canary@localhost",
};

/** A task with an unreadable state, which allows nothing. Its programs are the project's. */
function plantProject(cwd: string, root: string): void {
  const task = join(cwd, ".alfred/workspace/CANARY-1");
  mkdirSync(task, { recursive: true });
  writeFileSync(join(task, "task_state.json"), "{");
  mkdirSync(join(cwd, ".alfred/tasks"));
  writeFileSync(join(cwd, ".alfred/tasks/CANARY-1.md"), "# Task: CANARY-1 - A planted commit\n");
  writeFileSync(join(cwd, "pawl.yaml"), "guard: true\n");
  mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
  const modules = join(root, "node_modules");
  if (existsSync(modules)) symlinkSync(modules, join(cwd, "node_modules"));
}

function inScratch<T>(work: (scratch: string) => T): T {
  const scratch = mkdtempSync(join(tmpdir(), "pawl-canary-"));
  try {
    return work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * No variables of another project or repository, nor of Pawl's own loop, which has its own limits. What a hook starts by
 * its name, such as npx, is none of the project's programs.
 */
function plain(environment: Environment): Environment {
  const foreign = /^(?:GIT_|PAWL_PROJECT$|PAWL_RUN_MARK$|BLOOM_)/;
  const kept = Object.entries(environment).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), PATH: safePath(environment) };
}

interface How {
  readonly cwd: string;
  readonly environment: Environment;
  readonly input?: string;
}

function run(program: string, args: readonly string[], { cwd, environment, input = "" }: How): Tried {
  const { path, why } = findProgram(program, environment);
  if (path === null) return { code: null, out: "", err: `there is ${why}` };
  const { error, status, stderr, stdout } = spawnSync(path, args, {
    ...{ cwd, input, timeout: CLIENT_TIMEOUT, encoding: "utf8" },
    env: { ...environment },
  });
  return { code: status, out: stdout ?? "", err: status === null && error ? String(error) : (stderr ?? "") };
}
