/** What the folders promise: imports run one way, and the core touches nothing outside. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../rig/promise.ts";

const ROOT = resolve(import.meta.dirname, "../..");

interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** What it imports: relative ones as paths from the root, others as they are. */
  readonly imports: readonly string[];
}

const FILES = ["src", "test", "bench", "scripts", "demo", "examples"].flatMap(filesOf);
const SOURCES = FILES.filter(({ path }) => path.startsWith("src/"));
const CODE = SOURCES.filter(({ path }) => !path.endsWith(".test.ts"));

function filesOf(folder: string): SourceFile[] {
  let names: string[] = [];
  try {
    names = readdirSync(join(ROOT, folder), { recursive: true }) as string[];
  } catch {
    return [];
  }
  return names
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => {
      const path = join(folder, name).replaceAll("\\", "/");
      const text = readFileSync(join(ROOT, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  const found = [...code.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*["']([^"'\n]+)["']/g)].map(
    ([, name = ""]) => name,
  );
  return found.map((name) =>
    name.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(path), name)) : name,
  );
}

/** What is loaded with a file, at once or later: types are not. */
function reachedFrom(path: string, reached = new Set<string>()): readonly string[] {
  const file = FILES.find((each) => each.path === path);
  if (reached.has(path)) return [...reached];
  reached.add(path);
  const values = file?.text.replace(/^(?:import|export) type [^;]*;$/gm, "") ?? "";
  for (const name of importsOf(path, values)) reachedFrom(name, reached);
  return [...reached];
}

/** What is loaded with a file at once. */
function eagerlyReached(path: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(path)) return reached;
  reached.add(path);
  const text = uncommented(CODE.find((each) => each.path === path)?.text ?? "");
  const eager = text.match(/^(?:import|export) (?!type )[^;]*? from "[^"]+";/gm) ?? [];
  for (const name of importsOf(path, eager.join("\n"))) eagerlyReached(name, reached);
  return reached;
}

/** The layers from the ground up. A file imports from its own layer and those below. */
const LAYERS: readonly (readonly [string, RegExp])[] = [
  ["core", /^src\/core\//],
  ["engine", /^src\/engine\//],
  ["runtime", /^src\/runtime\//],
  ["scheduler", /^src\/scheduler\//],
  ["tasks file", /^src\/tasks-file\//],
  ["workflows", /^src\/workflows\//],
  ["import", /^src\/import\//],
  ["verify", /^src\/verify\//],
  ["guard", /^src\/guard\//],
  ["adapters and surfaces", /^src\/(adapters|surfaces)\//],
  ["config", /^src\/config\//],
  ["services", /^src\/services\//],
  ["app", /^src\/(app\/|index\.ts$)/],
  ["main", /^src\/main\.ts$/],
];

const layerOf = (path: string) => LAYERS.findIndex(([, pattern]) => pattern.test(path));

/** A program of its own, started as a child: it has an environment and an output of its own. */
const PROGRAMS = [
  ...["agents/scripted/agent.ts", "agents/permission/check-command.ts", "wall/forward.ts"].map(
    (each) => `adapters/${each}`,
  ),
  "app/export-telemetry.ts",
];
const isProgram = (path: string) => PROGRAMS.some((each) => path === `src/${each}`);

/**
 * The kernel's, the person's and Pawl's own folders are listed whole. Every other one is read by `firstEntries`, as an agent
 * may have put a million names into it.
 */
const WHOLE_FOLDERS = [
  "src/adapters/agents/cgroup.ts",
  "src/adapters/agents/dead-loops.ts",
  "src/adapters/agents/process-tree.ts",
  "src/adapters/checks/checks.ts",
  "src/adapters/events/event-log.ts",
  "src/adapters/events/log-parts.ts",
  "src/adapters/files/kept-by-run.ts",
  "src/adapters/files/leases.ts",
  "src/adapters/git/hub.ts",
  "src/adapters/git/watch-checkout.ts",
  "src/adapters/git/workspace/hand-in.ts",
  "src/adapters/git/workspace/person-config.ts",
  "src/adapters/git/workspace/worktrees.ts",
  "src/adapters/guard/sessions.ts",
  "src/adapters/guard/shell-wall.ts",
  "src/adapters/notify/notice-store.ts",
  "src/adapters/process/included-secrets.ts",
  "src/adapters/process/peer.ts",
  "src/adapters/process/start-program.ts",
  "src/adapters/setup/setup.ts",
  "src/adapters/wall/homes.ts",
  "src/adapters/wall/store.ts",
  "src/app/board.ts",
  "src/config/compiled-code.ts",
  "src/services/client-packages.ts",
  "src/services/own-workflows.ts",
];

/** The files that open a folder in which an agent works, by the text of its path. */
const OPENERS = [
  "src/adapters/agents/run-process.ts",
  "src/adapters/files/agent-folder.ts",
  "src/adapters/git/workspace/ensure.ts",
  "src/adapters/git/workspace/inside.ts",
  "src/adapters/process/included-secrets.ts",
  "src/adapters/process/work-folder.ts",
  "src/adapters/wall/wall.ts",
];
/** They show the path, or hand it to the agent's own program. */
const NAMERS = [
  "src/adapters/agents/commands.ts",
  "src/adapters/agents/environment.ts",
  "src/adapters/agents/function-agents.ts",
  "src/adapters/agents/run-acp.ts",
  "src/adapters/agents/run-cli.ts",
  "src/adapters/agents/run-folder.ts",
  "src/adapters/git/state.ts",
  "src/adapters/git/workspace/hand-in.ts",
  "src/adapters/git/workspace/large.ts",
  "src/adapters/git/workspace/remove.ts",
  "src/adapters/git/workspace/wip.ts",
  "src/surfaces/cli/bloom/worktrees.ts",
  "src/surfaces/cli/project/uninstall.ts",
];

describe("the architecture", () => {
  it("is looked at in full: the test sees the files that it is about", () => {
    expect(CODE.length).toBeGreaterThan(40);
    expect(CODE.flatMap(({ imports }) => imports).length).toBeGreaterThan(120);
    for (const [name, pattern] of LAYERS)
      expect(
        CODE.some(({ path }) => pattern.test(path)),
        name,
      ).toBe(true);
  });

  it("gives every file of the product a layer", () => {
    expect(CODE.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).toEqual([]);
  });

  it("keeps every room small enough to be known: at most 40 files side by side", () => {
    const rooms = Map.groupBy(CODE, ({ path }) => dirname(path));
    expect([...rooms].filter(([, files]) => files.length > 40).map(([room]) => room)).toEqual([]);
  });

  it("lets imports run one way, from the upper layers to the lower ones", () => {
    const upward = CODE.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith("src/") && layerOf(name) > layerOf(path))
        .map((name) => `${path} imports ${name}`),
    );
    expect(upward).toEqual([]);
  });

  it("has no circle of imports, those of types included", () => {
    const circles = circlesOf(new Map(CODE.map(({ path, imports }) => [path, imports])));
    expect(circles).toEqual([]);
    expect(circlesOf(new Map(Object.entries({ a: ["b"], b: ["c"], c: ["b"], d: ["a"] })))).toEqual([
      ["b", "c"],
    ]);
  });

  it("keeps adapters and surfaces from importing each other", () => {
    const kind = (path: string) => /^src\/((?:adapters|surfaces)\/[^/]+)\//.exec(path)?.[1];
    const crossing = CODE.flatMap(({ path, imports }) =>
      imports
        .filter((name) => {
          const [from, to] = [kind(path), kind(name)];
          if (from === undefined || to === undefined || from === to) return false;
          // Adapters may share: a forge asks git for the remote.
          return !(from.startsWith("adapters/") && to.startsWith("adapters/"));
        })
        .map((name) => `${path} imports ${name}`),
    );
    expect(crossing).toEqual([]);
  });

  it("lets the scope of a shipped workflow's run be read without schemas, YAML, markdown or templates", () => {
    for (const workflow of ["alfred", "spells"]) {
      const reached = reachedFrom(`src/workflows/${workflow}/scope.ts`);
      expect(reached.length, workflow).toBeGreaterThan(20);
      const packages = reached.filter((name) => /^(?!src\/)[@\w]/.test(name));
      expect([...new Set(packages)].sort(), workflow).toEqual(["jsonc-parser", "node:crypto"]);
    }
  });

  it("lists a whole folder only if no agent behind a wall can fill it", () => {
    promise("files.planted");
    const listers = CODE.filter(({ text }) => /\breaddir(?:Sync)?\(/.test(uncommented(text)));
    expect(listers.map(({ path }) => path).sort()).toEqual(WHOLE_FOLDERS);
  });

  it("opens a folder in which an agent works in few files: elsewhere its path is no text", () => {
    promise("files.planted");
    const outside = /^src\/(?:adapters|surfaces|config|services|app|main\.ts)/;
    // A colon follows where one is made.
    const readers = CODE.filter(
      ({ path, text }) => outside.test(path) && /\bagentPath\b(?!:)/.test(uncommented(text)),
    ).map(({ path }) => path);
    expect(readers.filter((path) => !NAMERS.includes(path)).sort()).toEqual(OPENERS);
    const calls =
      /\b\w+Sync\([^;]*\bagentPath\b|\b(?:opendir|cp|rm|removeTree|spawn|git)\([^;)]*\bagentPath\b/;
    const opening = CODE.filter(({ path, text }) => NAMERS.includes(path) && calls.test(uncommented(text)));
    expect(opening.map(({ path }) => path)).toEqual([]);
  });

  it("makes run:advanced in one place, for every workflow", () => {
    promise("commit.one-way");
    const product = FILES.filter(({ path }) => path.startsWith("src/") && !/\.test\.ts$|\.slow\./.test(path));
    const makers = product.filter(({ text }) => /[{,]\s*type: "run:advanced"/.test(text));
    expect(makers.map(({ path }) => path)).toEqual(["src/runtime/transaction/run-advanced.ts"]);
  });

  it("gives back every run's lock at the end of the block that took it", () => {
    const takers = CODE.flatMap(({ path, text }) =>
      uncommented(text)
        .split("\n")
        .filter((line) => /\.hold\(/.test(line) && !/\bawait using \w+ =/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(takers).toEqual([
      // It hands the lock on.
      "src/adapters/routed/store.ts: hold: async (run) => (routes.isSharedRun(run) ? await shared() : files).hold(run),",
    ]);
  });

  it("loads nothing of OpenTelemetry at a start: it waits behind an import of its own", () => {
    promise("telemetry.harmless");
    const reached = eagerlyReached("src/app/app.ts");
    expect(reached.size).toBeGreaterThan(40);
    expect([...reached].filter((name) => name.startsWith("@opentelemetry/"))).toEqual([]);
    const users = CODE.filter(({ imports }) => imports.some((name) => name.startsWith("@opentelemetry/")));
    expect(users.map(({ path }) => dirname(path))).toContain("src/adapters/telemetry");
    expect(new Set(users.map(({ path }) => dirname(path))).size).toBe(1);
  });

  it("loads no client of a database at a start, and only one adapter ever does", () => {
    promise("database.address");
    const reached = eagerlyReached("src/app/app.ts");
    expect(reached.size).toBeGreaterThan(40);
    expect([...reached].filter((name) => name === "pg" || name.includes("/postgres/"))).toEqual([]);
    const users = CODE.filter(({ imports }) => imports.includes("pg")).map(({ path }) => path);
    expect(users).toEqual(["src/adapters/postgres/connections.ts"]);
  });

  it("loads no reader of files if a program imports the library", () => {
    promise("library.light");
    const reached = eagerlyReached("src/index.ts");
    expect(reached.size).toBeGreaterThan(40);
    expect([...reached].filter((name) => ["zod", "yaml", "pg"].includes(name))).toEqual([]);
  });

  it("keeps workflows apart: none imports another", () => {
    const own = (path: string) => /^src\/workflows\/([^/]+)\//.exec(path)?.[1];
    const crossing = CODE.flatMap(({ path, imports }) =>
      imports
        .filter((name) => own(path) && own(name) && own(path) !== own(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(crossing).toEqual([]);
  });

  it("lets core, engine, runtime, scheduler, tasks-file, workflows, import, verify and guard import no Node module but the one of digests", () => {
    const impure = CODE.filter(({ path }) =>
      /^src\/(core|engine|runtime|scheduler|tasks-file|workflows|import|verify|guard)\//.test(path),
    ).flatMap(({ path, imports }) =>
      imports.filter((name) => name.startsWith("node:")).map((name) => `${path} imports ${name}`),
    );
    // A digest is pure: docs/decisions/README.md, 25.
    expect(impure).toEqual(["src/core/hash.ts imports node:crypto"]);
  });

  it("lets core, engine, runtime, scheduler, tasks-file, workflows, import, verify and guard ask no clock and no chance", () => {
    const asked = CODE.filter(({ path }) =>
      /^src\/(core|engine|runtime|scheduler|tasks-file|workflows|import|verify|guard)\//.test(path),
    ).filter(({ text }) =>
      /\bDate\.now\b|new Date\(\)|Math\.random|crypto\.(?!subtle\.digest)|setTimeout|setInterval|\bprocess\./.test(
        uncommented(text),
      ),
    );
    expect(asked.map(({ path }) => path)).toEqual([]);
  });

  it("lets the engine depend on nothing but the core", () => {
    const foreign = CODE.filter(({ path }) => path.startsWith("src/engine/")).flatMap(({ path, imports }) =>
      imports.filter((name) => !/^src\/(core|engine)\//.test(name)).map((name) => `${path} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it("lets the guard decide on the words of runs alone: it knows no workflow and no task", () => {
    const foreign = CODE.filter(({ path }) => path.startsWith("src/guard/")).flatMap(({ path, imports }) =>
      imports
        .filter((name) => !/^src\/(core|engine|runtime|guard)\//.test(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it("lets the board's page import nothing that a browser lacks, and nothing of its server but what they say to each other", () => {
    const page = CODE.filter(({ path }) => path.startsWith("src/surfaces/board/client/"));
    expect(page.length).toBeGreaterThan(20);
    const pure =
      /^src\/(surfaces\/board\/(client\/|wire\.ts$)|runtime\/(board|reports\/(costs|state-words)|review\/(brief|model|points))\.ts$|core\/)/;
    const packages = [
      ...["preact", "preact/hooks", "@preact/signals", "@dagrejs/dagre"],
      "@simplewebauthn/browser",
    ];
    // Inside a client it also speaks the client's protocol.
    const alsoIn = (path: string) =>
      path.includes("/client/inside/") ? ["@modelcontextprotocol/ext-apps"] : [];
    const foreign = page.flatMap(({ path, imports }) =>
      imports
        .filter((name) => !pure.test(name) && ![...packages, ...alsoIn(path)].includes(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(foreign).toEqual([]);
    const users = CODE.filter(({ path }) => !path.startsWith("src/surfaces/board/client/")).filter(
      ({ imports }) => imports.some((name) => name.startsWith("src/surfaces/board/client/")),
    );
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it("lets the board's page write no markup but its own: texts of others are text nodes", () => {
    promise("board-page.hostile");
    const page = CODE.filter(({ path }) => path.startsWith("src/surfaces/board/client/"));
    const unsafe =
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function/;
    expect(page.filter(({ text }) => unsafe.test(uncommented(text))).map(({ path }) => path)).toEqual([]);
  });

  it("starts programs in one place, which takes no bare name", () => {
    promise("programs.found-once");
    const starters = CODE.filter(({ imports }) => imports.includes("node:child_process"));
    expect(starters.map(({ path }) => path).filter((path) => !isProgram(path))).toEqual([
      "src/adapters/process/start-program.ts",
      // The text of a client's plugin.
      "src/surfaces/cli/guard/opencode-plugin.ts",
    ]);
    const named = CODE.flatMap(({ path, text }) =>
      [...uncommented(text).matchAll(/\b(?:spawn|execFile)(?:Sync)?\(\s*["'`](?!\/)[^\n]*/g)].map(
        ([call]) => `${path}: ${call}`,
      ),
    );
    expect(named.filter((each) => !PROGRAMS.some((path) => each.startsWith(`src/${path}`)))).toEqual([]);
  });

  it("opens connections to services in one place: the door", () => {
    promise("fetch.one-door");
    const called =
      /(?:\b(?:await|return)|=>?)\s*fetch\(|\bglobalThis\.fetch\b|\bnew (?:WebSocket|EventSource)\b/;
    const isOwn = /\bfunction fetch\(|import \{[^}]*\bfetch\b[^}]*\} from "\./;
    const modules = /^(?:node:(?:https?|http2|net|tls|dgram)|undici|axios|got|ky|node-fetch)$/;
    const openers = CODE.filter(({ imports, text }) => {
      const code = uncommented(text);
      return imports.some((name) => modules.test(name)) || (called.test(code) && !isOwn.test(code));
    });
    expect(
      openers
        .map(({ path }) => path)
        .filter((path) => !isProgram(path))
        .sort(),
    ).toEqual([
      "src/adapters/net/http.ts",
      "src/adapters/net/proxy.ts",
      // What an address is: nothing is opened.
      "src/adapters/notify/post.ts",
      "src/adapters/postgres/address.ts",
      // A free port of this machine.
      "src/adapters/process/free-ports.ts",
      // The wall's own way out.
      "src/adapters/wall/egress.ts",
      "src/adapters/wall/prove.ts",
      // The board's page, which asks its server.
      "src/surfaces/board/client/api.ts",
      "src/surfaces/board/client/live.ts",
      // Servers on this machine.
      "src/surfaces/board/server/devices/admission.ts",
      "src/surfaces/board/server/http.ts",
      "src/surfaces/board/server/request-guards.ts",
      "src/surfaces/mcp/serve-http.ts",
    ]);
    // No client of a service brings a door of its own: GitHub's description is there for its types alone.
    const clients = CODE.filter(({ text }) => /^import (?!type\b).*"@octokit\//m.test(text));
    expect(clients.map(({ path }) => path)).toEqual([]);
  });

  it("reads the environment in config/ alone", () => {
    const readers = CODE.filter(({ text }) =>
      /process\.env\b|\benv\s*}\s*=\s*process/.test(uncommented(text)),
    );
    expect(readers.map(({ path }) => path).filter((path) => !isProgram(path))).toEqual([
      "src/config/config.ts",
    ]);
  });

  it("brings all that it needs, and loads lazily only modules of its own and Node's: bundling changes nothing", () => {
    expect(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).dependencies).toBeUndefined();
    const lazy = CODE.flatMap(({ path, text }) =>
      [...uncommented(text).matchAll(/\bimport\(\s*"([^".][^"]*)"\s*\)/g)].map(([, name = ""]) => ({
        path,
        name,
      })),
    );
    expect(lazy.filter(({ name }) => !name.startsWith("node:"))).toEqual([]);
  });

  it("writes to no console, and to standard output only in the surfaces' homes", () => {
    expect(
      CODE.filter(({ text }) => /\bconsole\.(?!anthropic\b)/.test(uncommented(text))).map(({ path }) => path),
    ).toEqual([]);
    const homes = ["src/main.ts", "src/surfaces/cli/terminal/terminal.ts", "src/surfaces/mcp/serve-stdin.ts"];
    const writers = CODE.filter(({ text }) => /process\.(stdout|stderr)|\{ stdout/.test(uncommented(text)));
    expect(
      writers.map(({ path }) => path).filter((path) => !homes.includes(path) && !isProgram(path)),
    ).toEqual([]);
  });

  it("names files for what is in them, in kebab-case", () => {
    const drawers = /^(utils?|helpers?|managers?|services?|handlers?|types|common|misc|lib)$/;
    const ill = FILES.filter(({ path }) => {
      const name = (path.split("/").at(-1) ?? "").replace(/(\.[a-z]+)*\.tsx?$/, "");
      return drawers.test(name) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
    });
    expect(ill.map(({ path }) => path)).toEqual([]);
  });

  it("writes relative imports with their ending", () => {
    const bare = FILES.flatMap(({ path, imports }) =>
      imports
        .filter(
          (name) => /^(src|test|bench|scripts|demo)\//.test(name) && !/\.(tsx?|json|js|svg)$/.test(name),
        )
        .map((name) => `${path} imports ${name}`),
    );
    expect(bare).toEqual([]);
  });
});

/** Tarjan's strongly connected components of more than one file, each sorted. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.size - 1);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

function uncommented(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
