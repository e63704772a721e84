/** A program on a terminal of its own (a pseudo-terminal, opened by `script`), and a person who answers it. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface AtTerminal {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What the person saw on the screen: the questions, and what they typed. */
  readonly screen: string;
}

export interface Sitting {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What they type each time they are asked. */
  readonly answer: string;
  /** What they type where a key asks for it. */
  readonly passphrase?: string;
}

const PASSPHRASE = "passphrase";
/** Milliseconds: less than a test has. */
const LIMIT = 55_000;

/** What is typed, in order, at the questions that a signature asks. */
function prompted(screen: string): readonly string[] {
  const asked =
    /Its hash begins with:\r?\n\r?\n {4}([0-9a-f]{8})\r?\n\r?\nTo sign it, type these eight digits: |passphrase[^\n:]*: /g;
  return [...screen.matchAll(asked)].map(([, digits]) => (digits === undefined ? PASSPHRASE : `${digits}\n`));
}

/** At the beginning of a line: what others wrote may feign it elsewhere. */
const QUESTION = "\nYes or no? [y/N] ";

/** Runs the words as a command. What it writes goes to files, as in `command >out 2>err`: questions go to the screen. */
export async function atTerminal(
  words: readonly string[],
  { answer, cwd, env, passphrase = "" }: Sitting,
): Promise<AtTerminal> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-terminal-"));
  try {
    const [out, err] = [join(folder, "out"), join(folder, "err")];
    const command = `${words.map(quoted).join(" ")} >${quoted(out)} 2>${quoted(err)}`;
    const args =
      process.platform === "darwin"
        ? ["-q", "/dev/null", "sh", "-c", command]
        : ["--quiet", "--return", "--command", command, "/dev/null"];
    const child = spawn("script", args, {
      cwd,
      env: { ...env, SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "inherit"],
      // A program that never ends would outlive its test, and keep the runner from ending.
      timeout: LIMIT,
    });
    let screen = "";
    let answered = 0;
    let signed = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      screen += chunk.toString("utf8");
      for (const typed of prompted(screen).slice(signed)) {
        signed += 1;
        child.stdin.write(typed === PASSPHRASE ? `${passphrase}\n` : typed);
      }
      // An answer that is typed before the question does not count.
      for (; answered < screen.split(QUESTION).length - 1; answered++) {
        if (answer === "") child.stdin.end();
        else child.stdin.write(answer);
      }
    });
    child.stdin.on("error", () => {});
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    return {
      code,
      out: readFileSync(out, "utf8"),
      err: readFileSync(err, "utf8"),
      screen: screen.replaceAll("\r\n", "\n"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
