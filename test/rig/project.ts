/** A project in a temporary folder, and the program as a real child process in it. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stateHome } from "./state-home.ts";
import { type AtTerminal, atTerminal } from "./terminal.ts";
import { trustAsItIs } from "./trust.ts";

/** One of the rig's programs, bundled by `global-setup.ts` before the tests. */
export function rigProgram(name: string): string {
  return resolve(import.meta.dirname, "../../.rig", `${name}.js`);
}

export const MAIN = rigProgram("main");
const INSIDE = rigProgram("inside");

export interface TemporaryProject {
  readonly root: string;
  write(path: string, text: string): void;
  /** The file's text, or null. */
  read(path: string): string | null;
  /** The tester agrees to all that the project's files would start as they are. */
  trust(): void;
  /** Runs `pawl` to its end in this process, without a terminal. */
  pawl(...args: readonly string[]): Promise<Ended>;
  /** The same, as a person at a terminal does, who says yes to what they are asked. */
  person(...args: readonly string[]): Promise<AtTerminal>;
  [Symbol.dispose](): void;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `marked`: with a pawl.yaml, so that it is a project. */
export function temporaryProject({
  marked = true,
  environment = {},
}: TemporaryOptions = {}): TemporaryProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-test-")));
  let isTrusted = false;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    if (isTrusted && path === "tasks.yaml") trustAsItIs(root);
  };
  if (marked) write("pawl.yaml", "");
  return {
    root,
    write,
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null),
    pawl: (...args) => pawlInside(root, args, environment),
    person: (...args) => personInside(root, args, environment),
    trust: () => {
      isTrusted = true;
      trustAsItIs(root);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface TemporaryOptions {
  readonly marked?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The environment of a test's child: nothing of the tester's own configuration. */
export function testEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  // The tests may themselves be run by an agent: the program looks for one no further than here.
  const RIG_TESTER = String(process.pid);
  const own = { RIG_TESTER, NODE_COMPILE_CACHE, DOOR_ONLY: "1", GIT_CONFIG_NOSYSTEM: "1", ...stateHome() };
  return { PATH, HOME, ...own, ...more };
}

/** The program in this process, without a terminal. */
export async function pawlInside(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { screen: _, ...ended } = await inside(cwd, args, environment, null);
  return ended;
}

/** The program in this process, at a terminal of a person who says yes. */
export function personInside(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<AtTerminal> {
  return inside(cwd, args, environment, "y\n");
}

/** The same, of somebody who types this whatever they are asked. */
export function typingInside(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  answer: string,
): Promise<AtTerminal> {
  return inside(cwd, args, environment, answer);
}

/** The same, of somebody who sees on a screen what is printed. */
export function watchingInside(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  answer: string,
): Promise<AtTerminal> {
  return inside(cwd, args, environment, answer, true);
}

async function inside(
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  answer: string | null,
  isScreen = false,
): Promise<AtTerminal> {
  const { runInside } = (await import(INSIDE)) as typeof import("./inside.ts");
  return runInside({ cwd, args, environment: testEnvironment(more), answer, isScreen });
}

/** The program as a process of its own. */
export function runPawl(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return end(
    spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: testEnvironment(environment),
      stdio: ["ignore", "pipe", "pipe"],
      // Without the tester's own terminal.
      detached: true,
    }),
  );
}

/** `answer`: what they type when they are asked; an empty text ends the input. */
export function personAtTerminal(
  cwd: string,
  args: readonly string[],
  {
    answer = "y\n",
    environment = {},
    passphrase = "",
  }: {
    readonly answer?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly passphrase?: string;
  } = {},
): Promise<AtTerminal> {
  const env = testEnvironment(environment);
  return atTerminal([process.execPath, MAIN, ...args], { cwd, env, answer, passphrase });
}

/** The same, with all that came of it as one text. */
export async function runAtTerminal(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { code, err, out, screen } = await personAtTerminal(cwd, args, { environment });
  return { code, out: `${screen}${out}${err}`, err: "" };
}

export function end(child: ChildProcess): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, out: Buffer.concat(out).toString("utf8"), err: Buffer.concat(err).toString("utf8") }),
    );
  });
}
