/**
 * What each agent's counter of money and tokens means, by the real programs against the scripted model, and that Pawl
 * takes of it what one run cost. Compares with the table below.
 *
 *   node test/agents/counters.ts [NAME…]
 *
 * Each has two runs in one session; each run is two calls of the model, of 100 tokens in and 10 out.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openAgents } from "../../src/adapters/agents/agents.ts";
import type { AgentEnd } from "../../src/core/ports/agents.ts";
import { installInto } from "../rig/install.ts";
import { openModelServer } from "../rig/model/server.ts";
import { freshFolder, openHome } from "./agent-project.ts";
import {
  codexEnvironment,
  DRIVEN,
  type Driven,
  GEMINI_MODEL,
  newestOverAcp,
  PROGRAMS,
  type Program,
} from "./programs.ts";

/**
 * `call`: each value is that of one call. `run`: the last value is the run's. `session`: the last value is the session's
 * so far. `last`: it is that of the run's last call alone, so Pawl takes none. `none`: it says nothing.
 */
type Meaning = "call" | "run" | "session" | "last" | "none";

interface Row {
  /** Its money includes some of its calls beside the work, not always as many. */
  readonly asides?: true;
  readonly usd: Meaning;
  readonly tokens: Meaning;
}

/** By agent and version: the newest that the registry has, and the one before. */
const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  claude: {
    "2.1.331": { usd: "session", tokens: "run" },
    "2.1.332": { usd: "session", tokens: "run" },
  },
  codex: {
    "0.169.0": { usd: "none", tokens: "session" },
    "0.171.0": { usd: "none", tokens: "session" },
  },
  opencode: {
    "1.18.32": { usd: "call", tokens: "call" },
    "1.18.33": { usd: "call", tokens: "call" },
  },
  gemini: {
    "0.60.0": { usd: "none", tokens: "run" },
    "0.61.0": { usd: "none", tokens: "run" },
  },
  "opencode-acp": {
    "1.18.32": { usd: "session", tokens: "last" },
    "1.18.33": { usd: "session", tokens: "last" },
  },
  "claude-acp": {
    "0.100.0": { usd: "session", tokens: "run", asides: true },
    "0.101.0": { usd: "session", tokens: "run", asides: true },
  },
  "copilot-acp": {
    "1.0.92": { usd: "none", tokens: "run" },
    "1.0.102": { usd: "none", tokens: "run" },
  },
  "codex-acp": {
    "2.5.0": { usd: "none", tokens: "run" },
    "2.6.0": { usd: "none", tokens: "run" },
  },
};

const CALLS = 2;
const TOKENS = 100 * CALLS;
/** The price of a call, by the program's own list; opencode's is in its configuration. */
const USD: Readonly<Record<string, number>> = {
  claude: 100 * 3e-6 + 10 * 15e-6,
  "claude-acp": 100 * 3e-6 + 10 * 15e-6,
  opencode: 100 * 1e-6 + 10 * 2e-6,
  "opencode-acp": 100 * 1e-6 + 10 * 2e-6,
};
const CLAUDE_MODEL = "claude-sonnet-4-5";

interface Counted extends Pick<Driven, "environment" | "settings"> {
  readonly name: string;
  readonly program: Program;
  readonly model?: string;
}

const MODELS: Readonly<Record<string, string>> = { claude: CLAUDE_MODEL, gemini: GEMINI_MODEL };

const COUNTED: readonly Counted[] = [
  ...DRIVEN.map((driven) => {
    const model = MODELS[driven.name];
    return { ...driven, program: PROGRAMS[driven.program], ...(model === undefined ? {} : { model }) };
  }),
  {
    name: "copilot-acp",
    program: { package: "@github/copilot", version: newestOverAcp("Copilot"), bin: "copilot" },
    settings: (command) => ({ acp: { command, args: ["--acp"] }, environment: ["COPILOT_*"] }),
    environment: (_, model) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "scripted",
    }),
  },
  {
    name: "codex-acp",
    program: {
      ...{ package: "@agentclientprotocol/codex-acp", bin: "codex-acp" },
      version: newestOverAcp("@agentclientprotocol/codex-acp"),
    },
    settings: (command) => ({ acp: { command }, environment: ["CODEX_*", "OPENAI_*"] }),
    environment: codexEnvironment,
  },
];

interface Reported {
  /** The values that the program said in a run, in order. */
  readonly usd: readonly number[];
  readonly tokens: readonly number[];
  readonly end: AgentEnd;
  /** How many its model has answered. */
  readonly calls: number;
}

async function runTwice(counted: Counted, version: string): Promise<readonly Reported[]> {
  const { name, program } = counted;
  const modules = installInto(`agents/${program.bin}`, { ...program, version });
  const model = await openModelServer();
  const projectRoot = freshFolder("counters");
  using home = openHome(
    counted,
    model,
    counted.name === "claude-acp" ? { ANTHROPIC_MODEL: CLAUDE_MODEL } : {},
  );
  const settings = counted.settings(join(modules, ".bin", program.bin));
  const agents = openAgents({
    ...{ projectRoot, stateFolder: home.home, environment: home.environment },
    agents: { [name]: settings },
  });
  const seen: Reported[] = [];
  try {
    for (const run of ["one", "two"]) {
      const last = seen[0]?.end.session;
      const before = model.answered();
      const running = agents.start(
        {
          ...{ run, agent: name, folder: { agentPath: projectRoot }, permission: "all" },
          prompt: `RUN: echo ${run}\nSAY: done`,
          session: last ? { type: "resume", id: last } : { type: "new" },
          limits: { inactivity: 60_000, total: 120_000 },
          ...(counted.model === undefined ? {} : { model: counted.model }),
        },
        () => {},
      );
      const end = await running.ended;
      if (end.outcome === "failed") throw new Error(`run ${run} failed: ${end.reason}: ${end.detail}`);
      const lines = readFileSync(join(projectRoot, end.output, "output.jsonl"), "utf8").split("\n");
      seen.push({ ...saidIn(lines), end, calls: model.answered() - before });
    }
  } finally {
    await model.close();
    rmSync(projectRoot, { recursive: true, force: true });
  }
  return seen;
}

/** Every place where one of the programs says what was spent. */
const SAYS = {
  usd: [["total_cost_usd"], ["part", "cost"], ["params", "update", "cost", "amount"]],
  tokens: [
    ["usage", "input_tokens"],
    ["part", "tokens", "input"],
    ["stats", "input_tokens"],
    ["result", "usage", "inputTokens"],
  ],
} as const;

function saidIn(lines: readonly string[]): Pick<Reported, "usd" | "tokens"> {
  const objects = lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as unknown] : []));
  const valuesAt = (paths: readonly (readonly string[])[]) =>
    objects.flatMap((line) =>
      paths.flatMap((path) => {
        const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], line);
        return typeof value === "number" ? [value] : [];
      }),
    );
  return { usd: valuesAt(SAYS.usd), tokens: valuesAt(SAYS.tokens) };
}

/** `costs`: what each run really cost. */
function meaningOf(
  [first = [], second = []]: readonly (readonly number[])[],
  [one, two]: readonly [number, number],
): Meaning | string {
  const isNear = (value: number | undefined, other: number) =>
    value !== undefined && Math.abs(value - other) < one / 1000;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const isZero = [...first, ...second].every((value) => value === 0);
  if (isZero) return "none";
  if (isNear(first.at(-1), one) && isNear(second.at(-1), two)) return "run";
  if (isNear(first.at(-1), one) && isNear(second.at(-1), one + two)) return "session";
  if (isNear(sum(first), one) && isNear(sum(second), two)) return "call";
  if (isNear(first.at(-1), one / CALLS) && isNear(second.at(-1), two / CALLS)) return "last";
  return `unclear: ${JSON.stringify([first, second])} where the runs cost ${one} and ${two}`;
}

function grownBy({ usd }: Reported, before: Reported | undefined): number {
  return (usd.at(-1) ?? 0) - (before?.usd.at(-1) ?? 0);
}

/** What is wrong with the row, or with what Pawl makes of it. */
function faultsOf(counted: Counted, expected: Row, seen: readonly Reported[]): readonly string[] {
  const price = USD[counted.name] ?? 0;
  const prices = seen.map((run, at) => (expected.asides ? grownBy(run, seen[at - 1]) : price * CALLS));
  const [one = 0, two = 0] = prices;
  const found: Row = {
    usd: meaningOf(
      seen.map(({ usd }) => usd),
      [one, two],
    ) as Meaning,
    tokens: meaningOf(
      seen.map(({ tokens }) => tokens),
      [TOKENS, TOKENS],
    ) as Meaning,
  };
  const faults = (["usd", "tokens"] as const).flatMap((what) =>
    found[what] === expected[what] ? [] : [`${what}: expected ${expected[what]}, found ${found[what]}`],
  );
  for (const [at, { calls, end }] of seen.entries()) {
    const [usd, tokens] = [end.usage?.usd ?? null, end.usage?.inputTokens ?? null];
    const cost = prices[at] ?? 0;
    const isRight =
      (found.usd === "none" ? usd === null || usd === 0 : Math.abs((usd ?? 0) - cost) < cost / 1000) &&
      tokens === (found.tokens === "none" || found.tokens === "last" ? null : TOKENS);
    // It says nothing of the calls that it makes after its last word.
    if (cost < price * CALLS - price / 1000 || cost > price * calls + price / 1000)
      faults.push(`run ${at + 1} says that it cost ${cost}; it made ${calls} calls of ${price} each`);
    if (!isRight)
      faults.push(
        `Pawl counts ${usd} USD and ${tokens} tokens for run ${at + 1}; it cost ${cost} and ${TOKENS}`,
      );
  }
  return faults;
}

async function main(): Promise<number> {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(TABLE, name));
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(", ")}; known: ${Object.keys(TABLE).join(", ")}`);
  const untried = COUNTED.filter(({ name, program }) => !Object.hasOwn(TABLE[name] ?? {}, program.version));
  if (untried.length > 0) throw new Error(`not in the table: ${untried.map(({ name }) => name).join(", ")}`);
  let [passed, failed] = [0, 0];
  for (const counted of COUNTED.filter(({ name }) => names.length === 0 || names.includes(name)))
    for (const [version, row] of Object.entries(TABLE[counted.name] ?? {})) {
      const faults = await runTwice(counted, version).then(
        (seen) => faultsOf(counted, row, seen),
        (thrown: unknown) => [String(thrown)],
      );
      const words = `${counted.name} ${version}: money ${row.usd}, tokens ${row.tokens}`;
      process.stdout.write(
        faults.length === 0 ? `ok    ${words}\n` : `FAIL  ${words}\n      ${faults.join("\n      ")}\n`,
      );
      if (faults.length === 0) passed += 1;
      else failed += 1;
    }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

process.exitCode = await main();
