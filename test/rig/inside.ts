/** The program in this very process, with an environment, a folder and a terminal that are handed in. */
import { resolve } from "node:path";
import { run } from "../../src/app/app.ts";
import type { Environment } from "../../src/config/config.ts";
import type { ControllingTerminal } from "../../src/surfaces/cli/terminal/controlling-terminal.ts";
import { openTerminal } from "../../src/surfaces/cli/terminal/terminal.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

export interface InsideCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** What a person types when they are asked; empty: the end of input. Null: there is nobody, and no terminal. */
  readonly answer: string | null;
  /** Whether they see what is printed, too. */
  readonly isScreen?: boolean;
}

export interface Inside {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What the person was shown, and typed. */
  readonly screen: string;
}

/** What a person types who agrees to sign; null: they are asked something else. */
function digitsAsked(screen: string): string | null {
  const [, digits] =
    /Its hash begins with:\n\n {4}([0-9a-f]{8})\n\nTo sign it, type these eight digits: $/.exec(screen) ?? [];
  return digits === undefined ? null : `${digits}\n`;
}

/** The call to its end. What only a process shows (signals, pipes, two at once) needs one: `runPawl`. */
export async function runInside({
  cwd,
  args,
  environment,
  answer,
  isScreen = false,
}: InsideCall): Promise<Inside> {
  let [out, err, screen] = ["", "", ""];
  const controllingTerminal: ControllingTerminal = {
    isThere: () => answer !== null,
    onLine: () => null,
    open: () =>
      answer === null
        ? null
        : {
            write(text) {
              screen += text;
            },
            readLine() {
              const typed = answer === "y\n" ? (digitsAsked(screen) ?? answer) : answer;
              screen += typed;
              return typed === "" ? null : (typed.split("\n", 1)[0] ?? "");
            },
            close() {},
          },
  };
  const terminal = openTerminal(environment, {
    out(text) {
      out += text;
    },
    err(text) {
      err += text;
    },
  });
  const door = async () => (await import("./door.ts")).DOOR;
  const code = await run({
    argv: args,
    program: environment.PROGRAM_NAME ?? "pawl",
    home: resolve(import.meta.dirname, "../src"),
    ancestry: { until: process.ppid },
    workflows: environment.DOOR_ONLY ? { door } : { ...WORKFLOWS, door },
    process: {
      environment,
      workingFolder: () => cwd,
      terminal: isScreen ? { ...terminal, isScreen } : terminal,
      controllingTerminal,
    },
  });
  return { code, out, err, screen };
}
