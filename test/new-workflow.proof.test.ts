/**
 * The proof of the design: a workflow is one folder and one line. `test/fixtures/house/workflows/letters` is copied into a copy of the
 * source, its line is added to the list of workflows, and what is built from that serves it like the shipped ones.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, ERAS } from "./rig/client.ts";
import { end, type TemporaryProject, temporaryProject, testEnvironment } from "./rig/project.ts";
import { promise } from "./rig/promise.ts";
import { atTerminal } from "./rig/terminal.ts";

const ROOT = resolve(import.meta.dirname, "..");
const LINE = '  letters: async () => (await import("./letters/module.ts")).default,\n';

let scratch: string;
const program = () => join(scratch, "dist/main.js");
const run = (...words: string[]) =>
  execFileSync(process.execPath, words, {
    cwd: scratch,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-workflow-")));
  for (const name of ["src", "scripts", "package.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(join(ROOT, name), join(scratch, name), { recursive: true });
  // The rig's program looks for no agent above the tests, whoever runs them.
  for (const name of ["main.ts", "door.ts"])
    cpSync(join(ROOT, "test/rig", name), join(scratch, "test/rig", name));
  symlinkSync(join(ROOT, "node_modules"), join(scratch, "node_modules"));
  cpSync(join(ROOT, "test/fixtures/house/workflows/letters"), join(scratch, "src/workflows/letters"), {
    recursive: true,
  });
  const index = join(scratch, "src/workflows/index.ts");
  const text = readFileSync(index, "utf8");
  writeFileSync(index, text.replace(/^\};$/m, `${LINE}};`));
  // The build checks the types.
  run("scripts/build.ts", "--quiet");
  const bundled =
    'import("./scripts/bundle.ts").then(({ bundle }) => bundle({ main: "test/rig/main.ts" }, ".rig"))';
  run("--input-type=module", "--eval", bundled);
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const pawl = (project: TemporaryProject, ...words: string[]) =>
  end(
    spawn(process.execPath, [program(), ...words], {
      cwd: project.root,
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    }),
  );

/** At a terminal of their own; they say yes. */
const person = (project: TemporaryProject, ...words: string[]) =>
  atTerminal([process.execPath, join(scratch, ".rig/main.js"), ...words], {
    cwd: project.root,
    env: testEnvironment({ DOOR_ONLY: "" }),
    answer: "y\n",
  });

function lettersProject(): TemporaryProject {
  const project = temporaryProject();
  project.write("pawl.yaml", "letters:\n  longest: 40\n");
  return project;
}

describe("a workflow that is one folder and one line", () => {
  it("is built, with its types checked, and its table is proved", async () => {
    promise("workflow.one-folder");
    using project = lettersProject();
    expect(await pawl(project, "check", "letters")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^letters .* proved$/m),
    });
  });

  it("has its settings in pawl.yaml, in the published schema and in `pawl config`", async () => {
    promise("workflow.one-folder");
    using project = lettersProject();
    const { properties } = JSON.parse(readFileSync(join(scratch, "dist/pawl.schema.json"), "utf8"));
    expect(properties.letters.properties).toHaveProperty("longest");
    expect((await pawl(project, "config")).out).toMatch(/letters\.longest: 40 +pawl\.yaml:2/);
    project.write("pawl.yaml", "letters:\n  longes: 40\n");
    expect((await pawl(project, "letter", "a", "submit")).err).toMatch(
      /pawl\.yaml:2:3: letters\.longes is not a setting[\s\S]*write longest/,
    );
  });

  it("is led to its end on the command line, with a person at its gate", async () => {
    promise("workflow.one-folder");
    using project = lettersProject();
    const letter = (event: string) => pawl(project, "letter", "a", event);
    expect(await letter("submit")).toMatchObject({
      code: 1,
      out: "There is no letter to submit: write letters/a.md, of at most 40 characters.\n",
    });
    project.write("letters/a.md", "Dear friend");
    expect((await letter("submit")).out).toContain("The letter a waits for a person");
    expect(await letter("post")).toMatchObject({
      code: 1,
      out: expect.stringContaining("In waiting it takes approve (a person's), reject (a person's)."),
    });
    expect((await pawl(project, "status")).out).toMatch(/letters:a[\s\S]*approve or reject the letter/);
    expect((await pawl(project, "approve", "a")).err).toContain("has no terminal");

    expect((await person(project, "reject", "letters:a")).out).toContain("was sent back");
    await letter("submit");
    const approved = await person(project, "approve", "a");
    expect(approved.screen).toContain("Dear friend");
    expect(approved.out).toContain("The letter a is approved: post it.");
    expect(await letter("post")).toMatchObject({ code: 0, out: "The letter a is posted.\n" });
    expect(await letter("post")).toMatchObject({
      code: 1,
      err: expect.stringContaining("letters:a has ended in posted"),
    });

    const log = (await pawl(project, "log", "a")).out;
    expect(log.match(/letters:a {2}.*/g)).toEqual([
      "letters:a  submit: draft → waiting",
      expect.stringMatching(/reject: waiting → draft \(.*terminal.*\)/),
      "letters:a  submit: draft → waiting",
      expect.stringMatching(/approve: waiting → approved \(.*terminal.*\)/),
      "letters:a  post: approved → posted",
      "letters:a  posted a letter of 11 characters",
    ]);
    expect((await pawl(project, "show", "letters:a")).out).toContain(
      "approve: waiting → approved (terminal)",
    );
    expect((await pawl(project, "--help")).out).toContain("send an event to a letter");
  });

  it("believes no state that was written past its record", async () => {
    using project = lettersProject();
    project.write("letters/a.md", "Dear friend");
    await pawl(project, "letter", "a", "submit");
    project.write(".pawl/runs/letters/a.json", '{"state":"approved"}\n');
    expect((await pawl(project, "letter", "a", "post")).err).toContain("[state-tampered]");
    expect((await pawl(project, "status")).out).toContain("letters:a");
  });
});

describe.each(ERAS)("a workflow that is one folder and one line, over MCP (%s)", (era) => {
  it("is led to its end by a client, through a crash of the server", async () => {
    promise("workflow.one-folder");
    using project = lettersProject();
    const questions: string[] = [];
    const human = (message: string) => {
      questions.push(message);
      return { action: "accept", content: { approve: questions.length > 1 } } as const;
    };
    const open = () => connect(project, { era, human, program: program(), workflows: ["letters"] });
    const server = await open();
    expect((await server.client.listTools()).tools.map(({ name }) => name)).toEqual([
      "submit_letter",
      "approve_letter",
      "post_letter",
    ]);
    expect((await server.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["letter"]);
    expect(await server.call("submit_letter", { id: "b" })).toMatchObject({
      isError: true,
      data: { row: "no-letter" },
    });
    project.write("letters/b.md", "Dear friend");
    expect((await server.call("submit_letter", { id: "b" })).data).toMatchObject({ state: "waiting" });
    process.kill(server.transport.pid ?? 0, "SIGKILL");

    await using next = await open();
    expect(await next.call("post_letter", { id: "b" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("In waiting it takes approve (a person's), reject (a person's)."),
    });
    expect((await next.call("approve_letter", { id: "b" })).data).toMatchObject({ state: "draft" });
    await next.call("submit_letter", { id: "b" });
    expect((await next.call("approve_letter", { id: "b" })).data).toMatchObject({ state: "approved" });
    expect(questions).toEqual(Array(2).fill("Approve the letter b?\n\nDear friend"));
    expect((await next.call("post_letter", { id: "b" })).data).toMatchObject({ state: "posted" });
    expect((await next.call("submit_letter", { id: "b" })).text).toContain("letters:b has ended in posted");
    expect((await pawl(project, "show", "letters:b")).out).toContain(
      "approve: waiting → approved (elicitation)",
    );
  });
});
