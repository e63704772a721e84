/** Eight workers on machines of their own, each with a clone; whoever ends is begun again. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { heardFrom } from "../rig/machines.ts";
import { MAIN } from "../rig/project.ts";
import { trustAsItIs } from "../rig/trust.ts";
import type { Machine } from "./lab.ts";

export interface Member {
  readonly name: string;
  readonly machine: Machine;
  /** Where it finds the database and the git remote: their own addresses, or a relay's. */
  readonly ways: { readonly database: string; readonly git: string };
  signal(signal: NodeJS.Signals): void;
  /** What all its processes have said. */
  heard(): string;
  /** Ends of its processes that nobody asked for. */
  readonly faults: readonly string[];
  /** It takes nothing more; its exit code, or null: it did not end by itself, and was killed. */
  drained(): Promise<number | null>;
}

export interface Joining {
  readonly name: string;
  readonly machine: Machine;
  readonly ways: Member["ways"];
  /** The folder for its clone. */
  readonly place: string;
  readonly repository: string;
  /** A folder with the tasks file as it was before the database had it: what it starts is agreed to. */
  readonly tasksIn: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** At the end of one that was told to end and has no more work, while nobody can tell it how the tasks stand. */
const AWAY = /^\{\s*"error": \{\s*"code": "database-failed"/m;

/** The exit code of a worker that stopped its agents. */
const INTERRUPTED = 130;

/** Nobody can begin without the database, or while the name is another's: until that one's last sign of life is old enough. */
const NOT_YET = /^\{\s*"error": \{\s*"code": "(?:worker-name-taken|database-failed)"/;

/** Milliseconds; longer than any wait for the database. */
const LONGEST_END = 120_000;

export function joinCrew(joining: Joining): Member {
  const { environment, machine, name, place, repository, ways } = joining;
  const root = join(place, name);
  const [nsenter = "", ...there] = machine.there;
  execFileSync(nsenter, [...there, "git", "clone", "-q", repository, root], { cwd: place, env: environment });
  trustAsItIs(root, undefined, joining.tasksIn);
  const faults: string[] = [];
  const heard: (() => string)[] = [];
  let isEnding = false;
  /** It was told to end, and is begun again when it has. */
  let isAsked = false;
  let child: ChildProcess;
  let ended: Promise<number | null>;
  const begin = () => {
    isAsked = false;
    const words = [...there, process.execPath, MAIN, "worker", "--name", name, "--json"];
    child = spawn(nsenter, words, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    const said = heardFrom(child);
    heard.push(said);
    let errors = "";
    child.stderr?.on("data", (text) => {
      errors += text;
    });
    ended = new Promise((tell) =>
      child.once("close", (code, signal) => {
        tell(code);
        if (isEnding) return;
        const hasEnded = code === 0 || code === INTERRUPTED || signal === "SIGTERM" || AWAY.test(said());
        const isMeant = signal === "SIGKILL" || (isAsked && hasEnded);
        if (!isMeant && !NOT_YET.test(said()))
          faults.push(
            `${name} ended by itself, ${signal ?? code}: ${said().slice(-500)} ${errors.slice(-1000)}`,
          );
        setTimeout(() => isEnding || begin(), 500);
      }),
    );
  };
  begin();
  return {
    ...{ name, machine, ways, faults },
    signal(signal) {
      isAsked ||= signal === "SIGTERM";
      child.kill(signal);
    },
    heard: () => heard.map((each) => each()).join("\n"),
    async drained() {
      isEnding = true;
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), LONGEST_END);
      return ended.finally(() => clearTimeout(late));
    },
  };
}
