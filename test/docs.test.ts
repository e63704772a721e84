/** The documentation, run: every shell block in order, every link followed, every YAML block read. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderReference } from "../scripts/cli-reference.ts";
import { MAIN, testEnvironment } from "./rig/project.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = ["README.md", ...pagesIn("docs")];

/** Blocks that install or test the package itself: run by whoever runs this. */
const OF_THE_PACKAGE = /^npm (install|ci|run|test)\b/;

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return pagesIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

function blocks(page: string, language: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...textOf(page).matchAll(pattern)].map(([, body]) => body ?? "");
}

describe("the documentation", () => {
  it("is seen: the test has pages before it", () => {
    expect(PAGES.length).toBeGreaterThan(8);
    expect(blocks("docs/quickstart.md", "sh").length).toBeGreaterThan(3);
  });

  it.each(PAGES)("has no link in %s that leads nowhere", (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      ([, to]) => to ?? "",
    );
    expect(links.filter((to) => !existsSync(join(ROOT, dirname(page), to)))).toEqual([]);
  });
});

describe("every page", () => {
  it.each(PAGES)("has in %s no shell lines that a shell does not parse", (page) => {
    for (const block of blocks(page, "sh"))
      execFileSync("bash", ["-n"], { input: block, stdio: ["pipe", "pipe", "pipe"] });
  });

  it("gives the container a recipe, with the project and nothing else in it", () => {
    const [recipe = ""] = blocks("docs/security.md", "sh").filter((block) => block.startsWith("docker run"));
    const words = recipe.replaceAll("\\\n", " ").split(/\s+/);
    expect(words.filter((_, at) => words[at - 1] === "-v")).toEqual(['"$PWD:$PWD"']);
    expect(words).toEqual(expect.arrayContaining(["--init", "--cap-drop", "no-new-privileges"]));
  });
});

describe("the quickstart", () => {
  const project = mkdtempSync(join(tmpdir(), "pawl-docs-"));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("runs, command by command, in a fresh repository", () => {
    execFileSync("git", ["init", "-q", project]);
    const commands = blocks("docs/quickstart.md", "sh").flatMap((block) => block.trim().split("\n"));
    expect(commands.length).toBeGreaterThan(6);
    for (const command of commands) run(project, command);
  });
});

describe("the README", () => {
  it("has no command but those of the package, and those of the quickstart", () => {
    const commands = blocks("README.md", "sh").flatMap((block) => block.trim().split("\n"));
    expect(commands.filter((command) => !OF_THE_PACKAGE.test(command))).toEqual([]);
  });
});

describe("the configuration's page", () => {
  it("shows a pawl.yaml that is valid", () => {
    const project = mkdtempSync(join(tmpdir(), "pawl-docs-"));
    try {
      const [example = ""] = blocks("docs/configuration.md", "yaml");
      expect(Object.keys(parse(example))).toEqual(["alfred"]);
      writeFileSync(join(project, "pawl.yaml"), example);
      expect(run(project, "pawl config")).toContain("pawl.yaml:3:13");
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });
});

describe("the commands' page", () => {
  it("is what the program's own help says", { timeout: 120_000 }, async () => {
    const page = await renderReference(MAIN, testEnvironment({ DOOR_ONLY: "", NO_COLOR: "1" }));
    expect(page.match(/^## /gm)?.length).toBeGreaterThan(30);
    const own = page
      .split(/\n(?=## )/)
      .filter((part) => !part.startsWith("## door") && !part.startsWith("# "));
    const shown = textOf("docs/cli.md")
      .split(/\n(?=## )/)
      .filter((part) => !part.startsWith("# "));
    expect(own.map((part) => part.trim())).toEqual(shown.map((part) => part.trim()));
  });
});

/** Runs a documented command as a reader would; `pawl` is the program under test. Throws where it fails. */
function run(folder: string, command: string): string {
  const [program, ...args] = command.split(" ");
  expect(program, command).toBe("pawl");
  return execFileSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: testEnvironment({ DOOR_ONLY: "" }),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}
