/**
 * Plays README and docs/quickstart.md as literally as a person does, in an empty home with the built program, and counts
 * what that takes: `npm run check:first-hour`. A line that asks is answered at a terminal of its own. Alfred's task is walked
 * by an assistant that does what it reads, over the client libraries of both generations of MCP. Where Claude Code is
 * installed, it does the task SALE, as the page says of a real agent, with a scripted model.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { findProgram } from "../../src/adapters/process/programs.ts";
import { SHOWN_COMMANDS } from "../../src/core/command-groups.ts";
import { installed } from "../agents/install.ts";
import { DRIVEN } from "../agents/programs.ts";
import { blocksIn, PAGES, ROOT, textOf } from "../rig/docs.ts";
import { follow, type Hands, type Heard } from "../rig/literal-client.ts";
import { openModelServer } from "../rig/model/server.ts";

const MAIN = join(ROOT, "dist/main.js");
const LIMIT = 120_000;

/** What the page's questions get. */
const ANSWERS: readonly (readonly [question: string, answer: string])[] = [
  ["Enter for light, or one of these words: ", "\n"],
  ["Yes or no? [y/N] ", "y\n"],
];

export interface FirstHour {
  readonly commands: number;
  readonly shown: number;
  readonly readmeLines: number;
  readonly docsWords: number;
  /** Of README, quickstart and everything that the program printed. */
  readonly wordsRead: number;
  readonly seconds: number;
  /** By client library. */
  readonly alfred: readonly { readonly client: string; readonly calls: number; readonly verdicts: number }[];
  /** What the real agent made of SALE; null: it was not played. */
  readonly claude: string | null;
  /** By workflow: what came of it. */
  readonly outcome: Readonly<Record<"bloom" | "alfred" | "spells", string>>;
}

/** `claude`: the program of Claude Code, if it is to be played, too. */
export async function playFirstHour(claude: string | null = null): Promise<FirstHour> {
  const begun = Date.now();
  const home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-first-hour-")));
  try {
    const played = new Player(home);
    const lines = blocksIn("docs/quickstart.md", "sh").flatMap(({ body }) => body.trimEnd().split("\n"));
    for (const line of lines) await played.type(line);
    const bloom = played.run("git log --format=%s main; cat src/price.mjs");
    const spells = played.run("pawl status");
    const alfred = [];
    for (const [client, open] of Object.entries(CLIENTS))
      alfred.push({ client, ...(await walk(played, open, `TS-0${alfred.length + 1}`)) });
    const walked = played.run("pawl status");
    return {
      commands: lines.length,
      shown: SHOWN_COMMANDS.length,
      readmeLines: textOf("README.md").trimEnd().split("\n").length,
      docsWords: wordsOf(
        PAGES.filter((page) => page !== "README.md" && !/^docs\/(decisions|internals)\//.test(page))
          .map(textOf)
          .join("\n"),
      ),
      wordsRead: wordsOf([textOf("README.md"), textOf("docs/quickstart.md"), played.shown].join("\n")),
      seconds: Math.round((Date.now() - begun) / 1000),
      alfred,
      claude: claude === null ? null : await giveSaleTo(claude, played),
      outcome: { bloom, alfred: walked, spells },
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** A person without anything at home but `pawl`, and the terminal at which they type. */
class Player {
  shown = "";
  #folder: string;
  #environment: Record<string, string>;

  constructor(home: string) {
    const bin = join(home, "bin");
    mkdirSync(bin);
    for (const name of ["pawl", "bloom"]) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    mkdirSync(join(home, "work"));
    this.#folder = join(home, "work");
    this.#environment = {
      PATH: [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
      HOME: home,
      TERM: "dumb",
      NO_COLOR: "1",
      SHELL: "/bin/sh",
    };
  }

  get folder(): string {
    return this.#folder;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** What a person has besides, such as an agent and its key. */
  has(bin: string, environment: Readonly<Record<string, string>>): void {
    const PATH = [this.#environment.PATH, bin].join(delimiter);
    this.#environment = { ...this.#environment, ...environment, PATH };
  }

  /** Throws if the line does not end as the page says: its first `pawl run --once` leaves a blocked task, and says so by 1. */
  async type(line: string, expected = line === "pawl run --once" ? 1 : 0): Promise<void> {
    const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
    if (folder !== undefined) {
      this.#folder = resolve(this.#folder, folder);
      return;
    }
    const { code, screen } = await this.#atTerminal(line);
    this.shown += screen;
    if (code !== expected) throw new Error(`${line}: expected ${expected}, found ${code}:\n${screen}`);
  }

  /** Looks, without counting it. */
  run(command: string): string {
    return execFileSync("sh", ["-c", command], {
      cwd: this.#folder,
      env: this.#environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  #atTerminal(line: string): Promise<{ readonly code: number | null; readonly screen: string }> {
    const args =
      process.platform === "darwin"
        ? ["-q", "/dev/null", "sh", "-c", line]
        : ["--quiet", "--return", "--command", line, "/dev/null"];
    const child = spawn("script", args, {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ["pipe", "pipe", "inherit"],
      timeout: LIMIT,
    });
    let screen = "";
    let answered = 0;
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => {
      screen += chunk.toString("utf8");
      const asked = ANSWERS.flatMap(([question, answer]) =>
        screen
          .split(question)
          .slice(1)
          .map(() => answer),
      );
      for (const answer of asked.slice(answered)) child.stdin.write(answer);
      answered = asked.length;
    });
    return new Promise((done, failed) => {
      child.on("error", failed);
      child.on("close", (code) => done({ code, screen: screen.replaceAll("\r\n", "\n") }));
    });
  }
}

type Open = (player: Player) => Promise<{
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}>;

const IMPLEMENTATION = { name: "literal-assistant", version: "1.0.0" };

const launch = ({ environment, folder }: Player) => ({
  command: "pawl",
  args: ["mcp"],
  cwd: folder,
  env: { ...environment },
});

const CLIENTS: Readonly<Record<string, Open>> = {
  async "@modelcontextprotocol/client"(player) {
    const client = new Client(IMPLEMENTATION);
    await client.connect(new StdioClientTransport(launch(player)));
    return client;
  },
  async "@modelcontextprotocol/sdk"(player) {
    const client = new EarlierClient(IMPLEMENTATION);
    await client.connect(new EarlierTransport(launch(player)));
    return client as unknown as Awaited<ReturnType<Open>>;
  },
};

/** The demo's light task, from the first call to done; `create_task` counts too. */
async function walk(player: Player, open: Open, id: string) {
  const client = await open(player);
  let verdicts = 0;
  let calls = 0;
  const call = async (name: string, input: Record<string, unknown>): Promise<Heard> => {
    calls += 1;
    const result = (await client.callTool({ name, arguments: input })) as {
      readonly content: readonly { readonly text?: string }[];
      readonly isError?: boolean;
    };
    const text = result.content.map((part) => part.text ?? "").join("\n");
    player.shown += text;
    return { text, isError: result.isError === true };
  };
  const hands: Hands = {
    file: "src/price.mjs",
    run: (command) => player.run(command),
    approves(_, who) {
      if (who === "human") verdicts += 1;
      return true;
    },
    decides: async () => {},
    async builds() {
      const path = join(player.folder, "src/price.mjs");
      writeFileSync(path, `// A shop never pays its customers.\n${readFileSync(path, "utf8")}`);
    },
  };
  try {
    player.run("git checkout -q main");
    const task = readFileSync(join(player.folder, ".alfred/tasks/TS-01.md"), "utf8");
    await call("create_task", { task_content: task.replaceAll("TS-01", id) });
    await follow(call, hands, await call("start_task", { task_id: id }));
    return { calls, verdicts };
  } finally {
    await client.close();
  }
}

/** SALE's branch has the scripted agent's work yet, which main contradicts by now. */
const SALE = [
  "RUN: echo 'export const price = (net) => Math.round(net * 119) / 100;' > src/price.mjs",
  "RUN: echo 'export const sale = (net) => price(net) / 2;' >> src/price.mjs",
  'RUN: git commit -qam "Sell at half the price"',
  "RUN: bloom done SALE",
  "SAY: sale() is half of price().",
].join("\n");

/** The page's paragraph on a real agent. What is counted is not the page's: a person reads it and does it another day. */
async function giveSaleTo(claude: string, player: Player): Promise<string> {
  const driven = DRIVEN.find(({ name }) => name === "claude");
  const model = await openModelServer((text) => (text.includes("SALE") ? SALE : null));
  try {
    player.has(dirname(claude), driven?.environment(join(player.folder, "..", ".."), model.url) ?? {});
    player.run("git checkout -q main");
    const path = join(player.folder, "tasks.yaml");
    const [before = "", sale = ""] = readFileSync(path, "utf8").split(/(?=^ {2}- id: SALE)/m);
    const real = sale.replace("agent: scripted", "agent: claude").replace(/^ +(?:RUN|SAY):.*\n/gm, "");
    writeFileSync(path, before + real);
    for (const line of ["pawl trust", "pawl task reset SALE"]) await player.type(line);
    await player.type("pawl run --once", 0);
    return player.run("git show main:src/price.mjs; git log -1 --format=%s main");
  } finally {
    await model.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { outcome, claude, alfred, ...counts } = await playFirstHour(
    findProgram("claude", process.env).path ?? installed("claude"),
  );
  const lines = [
    ...Object.entries(counts).map(([name, count]) => `${name.padEnd(14)}${count}`),
    ...alfred.map(
      ({ calls, client, verdicts }) =>
        `alfred        ${calls} calls, ${verdicts} human verdict, over ${client}`,
    ),
    `\nclaude:\n${claude?.trimEnd() ?? "not here"}`,
    ...Object.entries(outcome).map(([workflow, text]) => `\n${workflow}:\n${text.trimEnd()}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
