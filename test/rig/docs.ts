/** The pages of the documentation, block by block, and a sample project in which a page's blocks are run. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { rigProgram } from "./project.ts";
import { stateHome } from "./state-home.ts";
import { atTerminal } from "./terminal.ts";
import { trustAsItIs } from "./trust.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "dist/main.js");
const AGENT = rigProgram("bloom-agent");
/** Its agents keep their sessions and answers beside the project, where no wall lets them. */
const PAWL_YAML = "alfred: { checks: { test: npm test } }\nbloom: { agent: scripted }\nsandbox: none\n";

/**
 * A fenced block. What a test must know of it stands in a comment right above: `<!-- file: PATH -->` is written there
 * before the page's commands are run, `<!-- not run: REASON -->`, and `<!-- before: CODE -->`, which code needs and
 * readers do not.
 */
export interface Block {
  readonly language: string;
  readonly body: string;
  /** Of the fence; 1 is the first. */
  readonly line: number;
  readonly mark: "file" | "not run" | "before" | null;
  readonly said: string;
}

export const PAGES: readonly string[] = ["README.md", ...pagesIn("docs")];

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return pagesIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const FENCED = /(?:<!-- (file|not run|before):\s([\s\S]+?)\s-->\n)?^```([a-z]*)\n([\s\S]*?)^```$/gm;

export function blocksOf(page: string): readonly Block[] {
  const text = textOf(page);
  return [...text.matchAll(FENCED)].map(([whole, mark, said = "", language = "", body = ""], at, all) => {
    const start = (all.at(at)?.index ?? 0) + whole.indexOf("```");
    return {
      language,
      body,
      line: text.slice(0, start).split("\n").length,
      mark: (mark ?? null) as Block["mark"],
      said,
    };
  });
}

/** The page's blocks in these languages. */
export function blocksIn(page: string, ...languages: readonly string[]): readonly Block[] {
  return blocksOf(page).filter(({ language }) => languages.includes(language));
}

/** The pages with blocks that no test can run; each says why, above itself. */
export const NOT_RUN: readonly string[] = [
  "README.md",
  "docs/board.md",
  "docs/board.md",
  "docs/internals/verify.md",
  "docs/internals/demonstrations.md",
  "docs/security.md",
  "docs/several-machines.md",
  "docs/several-machines.md",
  "docs/several-machines.md",
  "docs/several-machines.md",
  "docs/several-machines.md",
  "docs/team.md",
  "docs/team.md",
  "docs/trust.md",
  "docs/verify.md",
];

/** A real repository with a remote, a package with tests, and the built program on the PATH as `pawl` and `bloom`. */
export class SampleProject {
  readonly root: string;
  readonly #place: string;
  readonly #answers: string;

  constructor(example?: string) {
    if (!existsSync(PROGRAM)) throw new Error("There is no dist/: run npm run build first.");
    this.#place = realpathSync(mkdtempSync(join(tmpdir(), "pawl-docs-")));
    this.root = join(this.#place, "shop");
    this.#answers = join(this.#place, "answers.json");
    mkdirSync(join(this.#place, "home"));
    this.#programs();
    this.write(
      "package.json",
      '{ "name": "shop", "type": "module", "scripts": { "test": "node --version" } }\n',
    );
    this.write("pawl.yaml", PAWL_YAML);
    this.write(".gitignore", "node_modules/\n.pawl/\n.alfred/\n.ai/\ntasks.yaml\n");
    if (example) cpSync(join(ROOT, example), this.root, { recursive: true });
    cpSync(join(ROOT, "examples"), join(this.root, "examples"), { recursive: true });
    this.#modules();
    const remote = join(this.#place, "remote.git");
    this.sh(`git init -q --bare -b main "${remote}"
      git init -q -b main; git config user.name Dev; git config user.email dev@example.com
      git add .; git commit -qm Begin; git remote add origin "${remote}"; git push -qu origin main`);
  }

  /** Throws with everything that was said, where one of the lines fails. */
  sh(script: string): string {
    // What a page has a reader write, the reader trusts.
    trustAsItIs(this.root);
    const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", script], {
      cwd: this.root,
      env: this.#environment(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    if (status !== 0) throw new Error(`It ended with ${status}:\n${script}\n${stdout}${stderr}`);
    return stdout;
  }

  /** The same, typed at a terminal by a person who says yes to what they are asked. */
  async typed(script: string): Promise<string> {
    trustAsItIs(this.root);
    const seat = { cwd: this.root, env: this.#environment(), answer: "y\n", passphrase: "correct horse" };
    const { code, err, out, screen } = await atTerminal(["sh", "-e", "-c", script], seat);
    if (code !== 0) throw new Error(`It ended with ${code}:\n${script}\n${out}${err}${screen}`);
    return out;
  }

  #environment(): Record<string, string> {
    const { PATH = "" } = process.env;
    return {
      PATH: [join(this.#place, "bin"), dirname(process.execPath), PATH].join(delimiter),
      HOME: join(this.#place, "home"),
      // The tests' own, so that what a test does with the project beforehand is known to the page's commands.
      ...stateHome(),
      TMPDIR: this.#place,
      GIT_CONFIG_NOSYSTEM: "1",
      PAWL_SCRIPTED_HOME: join(this.#place, "sessions"),
      PAWL_SCRIPTED_ANSWERS: this.#answers,
    };
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** An agent that does what a page asks of it: a text of its prompt → lines that are added to its script. */
  answer(answers: Readonly<Record<string, string>>): void {
    writeFileSync(this.#answers, JSON.stringify(answers));
    this.write("pawl.yaml", `${PAWL_YAML}agents: { scripted: { program: "${AGENT}" } }\n`);
    this.sh("git commit -qam 'Choose the agent'");
  }

  [Symbol.dispose](): void {
    rmSync(this.#place, { recursive: true, force: true });
  }

  #programs(): void {
    mkdirSync(join(this.#place, "bin"));
    for (const name of ["pawl", "bloom"]) {
      const file = join(this.#place, "bin", name);
      // Called by that name: the program shows itself as it was called.
      symlinkSync(PROGRAM, `${file}.js`);
      writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${file}.js" "$@"\n`, { mode: 0o755 });
    }
  }

  /** The package as it is installed, and what else a page's code imports. */
  #modules(): void {
    const modules = join(this.root, "node_modules");
    mkdirSync(modules);
    symlinkSync(ROOT, join(modules, "pawl"));
    const xstate = createRequire(import.meta.url).resolve("xstate/package.json");
    symlinkSync(dirname(xstate), join(modules, "xstate"));
  }
}
