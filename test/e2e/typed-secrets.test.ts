/** A known secret that somebody types into Pawl: it is masked before it is used, and in everything that is shown. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { type Connected, connect } from "../rig/client.ts";
import { pawlInside, type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const TOKEN = "tkn-4711-never-to-be-seen";
const LINES = ["-----BEGIN KEY-----", "MIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aoiM", "-----END KEY-----"];
const SECRETS = { DOOR_ONLY: "", DEPLOY_TOKEN: TOKEN, SIGNING_KEY: LINES.join("\n") };
const TASKS = `# Mine: ${TOKEN}
tasks:
  - id: T1
    title: One
    instructions: Call it with ${TOKEN}
`;

/** Every file below the folder, as one text. */
function filesOf({ root }: TemporaryProject, except = /^$/): string {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => !except.test(name));
  return names.map((name) => `${name}\n${textAt(join(root, name))}\n`).join("");
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A folder.
    return "";
  }
}

const hidden = (text: string) => {
  expect(text).not.toContain(TOKEN);
  expect(text).not.toContain(LINES[1]);
};

async function said(client: Connected, tool: string, input: Record<string, unknown>): Promise<string> {
  const answer = await client.call(tool, { task_id: "TS-01", ...input });
  expect(answer.isError, answer.text).toBe(false);
  return JSON.stringify(answer);
}

it("masks what an assistant types into an artifact, a note and a review, in files, logs, prompts and answers", async () => {
  promise("inputs.masked");
  using project = temporaryProject({ environment: SECRETS });
  project.write("pawl.yaml", "\n");
  project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
  await using client = await connect(project, { workflows: ["alfred"], environment: SECRETS });
  const answers = [
    await said(client, "start_task", {}),
    await said(client, "submit_work", { artifact: { ...CLEAN, current_branch: `main ${TOKEN}` } }),
    await said(client, "provide_review", {
      is_approved: false,
      feedback_notes: `It prints ${TOKEN}, and\n  ${LINES.join("\n  ")}\nthen ends.`,
    }),
    await said(client, "start_task", {}),
  ];
  hidden(answers.join("\n"));
  expect(answers.at(-1)).toContain("It prints [redacted DEPLOY_TOKEN], and");
  expect(answers.at(-1)).toContain("main [redacted DEPLOY_TOKEN]");
  const files = filesOf(project);
  hidden(files);
  expect(files).toContain("[redacted SIGNING_KEY]");
  hidden((await pawlInside(project.root, ["log", "--json"], { DOOR_ONLY: "" })).out);
});

it("masks what is typed at the command line, and leaves a person's own file as it is", async () => {
  promise("inputs.masked");
  using project = temporaryProject({ environment: SECRETS });
  project.write("tasks.yaml", TASKS);
  const ran = [
    await project.pawl("note", "T1", `The key is ${TOKEN}.`),
    await project.pawl("ask", "T1", `Is ${TOKEN} right?`),
    await project.pawl("answer", "q1", `No: ${TOKEN}-2.`),
    await project.pawl("show", "T1"),
    await project.pawl("list", "--json"),
    await project.pawl("log", "--json"),
  ];
  for (const { code } of ran) expect([0, 3]).toContain(code);
  hidden(ran.map(({ err, out }) => `${out}${err}`).join("\n"));
  expect(ran.at(-3)?.out).toContain("Call it with [redacted DEPLOY_TOKEN]");
  hidden(filesOf(project, /^tasks\.yaml$|^\.pawl\/cache\//));
  const now = project.read("tasks.yaml") ?? "";
  const open = (text: string) => text.split("\n").filter((line) => line.includes(TOKEN));
  expect(open(now)).toEqual(open(TASKS));
  expect(now).toContain("The key is [redacted DEPLOY_TOKEN].");
});

it("masks what a person is asked at the terminal, and what an argument of a prompt says", async () => {
  using project = temporaryProject({ environment: SECRETS });
  project.write("pawl.yaml", `alfred: { checks: { test: "curl -H ${TOKEN} localhost" } }\n`);
  const { screen } = await project.person("trust");
  expect(screen).toContain("curl -H [redacted DEPLOY_TOKEN] localhost");
  hidden(screen);
  await using connected = await connect(project, { workflows: ["alfred"], environment: SECRETS });
  const refused = await connected.client.getPrompt({ name: "start_task", arguments: { id: TOKEN } }).then(
    () => "",
    (error: Error) => `${error.message} ${JSON.stringify(error)}`,
  );
  expect(refused).toContain("[redacted DEPLOY_TOKEN]");
  hidden(refused);
});
