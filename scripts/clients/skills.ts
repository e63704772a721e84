/** The skills: what an assistant reads to work by Pawl, over MCP or by the command line alone. */
import type { WorkflowModule } from "../../src/runtime/module.ts";
import { RULES } from "../../src/surfaces/mcp/server.ts";

/** `name` is the folder's too. */
export interface Skill {
  readonly name: string;
  readonly text: string;
}

const INTRODUCTION = `# Work by Pawl

RULES

## Begin

1. \`pawl status\` shows every run: its state, and who acts next. Run it first, and again after a restart.
2. \`pawl show RUN\` tells a run's history, and \`pawl review RUN\` what waits for a person and what Pawl found beside it.
3. Where no project is set up, ask before you run \`pawl init\`.

If \`pawl\` is not found, try \`npx --no pawl\`: the project may have it as a package. Do not let npx fetch it.

## What is a person's

\`pawl approve\`, \`pawl reject\`, \`pawl trust\`, \`pawl repair\`, \`pawl policy --accept\` and \`pawl keys add\` are a person's commands. Pawl
refuses them to you. Say what waits, show what there is to see, name the command, and wait.

Do not edit \`pawl.yaml\`, or anything in \`.pawl/\` or \`.alfred/\`: Pawl compares these files with its history.

## Read on

The skills of each workflow say how to move it. \`pawl help COMMAND\` explains a command, \`--json\` gives its answer as data, and the
exit code says how it went: 0 done, 1 failed, 2 wrong use, 3 waits for a person.`;

const ALFRED = `## Walk a task

Alfred's steps are tools. Each answer is the prompt for the next step. Call them over the MCP server \`pawl\`, or from the shell:
\`pawl call TOOL '{"task_id": "TS-01"}'\` gives the same answer.

TOOLS

1. \`work_on_task\` names the tool that a task's status calls for; \`get_next_task\` finds the task.
2. Do what the answer says, and only that. Then hand in the artifact with \`submit_work\`.
3. In your own review, judge the work against what was asked, then call \`provide_review\`. In a human review, show the person
   what is under review and pass on their verdict in their words.
4. A refusal names every fault: mend the artifact and hand it in again.

## By the command line

- \`pawl show alfred:ID\` tells where the task stands, and \`pawl prompts alfred\` prints the prompt of every state.
- \`pawl plan export ID\` writes an accepted plan as steps of \`tasks.yaml\`, for the loop; \`pawl plan take-back ID\` hands in what it did.
- \`pawl call TOOL --schema\` shows what a tool takes. Write an artifact to a file outside of the repository, and hand it in with
  \`pawl call submit_work @FILE\`.
- From the shell you cannot pass on a person's verdict: where the prompt asks for one, have them run \`pawl approve ID\` or
  \`pawl reject ID\`, then call \`work_on_task\`.`;

const SPELLS = `## Cast

Only the developer casts. Cast a spell when they ask for it, show them what the reply tells the developer, and do what it tells the
AI.

| Spell | What it does |
| --- | --- |
ROWS

## By the command line

1. \`pawl lumos\` shows where the work stands and which spells can be cast.
2. \`pawl cast SPELL\` casts one: the same reply as the tool's.`;

const BLOOM = `## The tasks

\`tasks.yaml\` holds the tasks; agents work on them in workspaces of their own, and the loop checks and merges.

1. \`pawl validate\` names every problem in the file with its line. \`pawl list\` and \`pawl next\` show what there is and what would begin.
2. Propose tasks as an edit of \`tasks.yaml\` that the person sees before the loop does: an id, a title, a branch, what to do, and
   \`verify\` commands that would fail if it were not done.
3. \`pawl run --once\` works through what is ready. A person starts it: it spends money.

## As an agent of the loop

- Do the step that the prompt names, commit it, then run \`bloom step done ID\`.
- \`bloom ask TASK "question"\` asks a person; the task waits for the answer.
- \`bloom note TASK "text"\` leaves what the next one should know, and \`bloom block TASK "why"\` says that it cannot go on.
- Never say that a step is done when its checks fail: the loop runs them again.

| Command | What it does |
| --- | --- |
ROWS`;

const BODIES: Readonly<Record<string, string>> = { alfred: ALFRED, spells: SPELLS, bloom: BLOOM };

export async function renderSkills(modules: readonly WorkflowModule[]): Promise<readonly Skill[]> {
  const all = modules.map(({ title }) => title).join(", ");
  const description = `Work in a project that Pawl keeps on a written workflow (${all}): find where each run stands, who needs to act, and what may be done. Use it where pawl.yaml, .alfred/, .ai/ or tasks.yaml exists, or when somebody mentions Pawl.`;
  const introduction = skill("pawl", description, INTRODUCTION.replace("RULES", RULES));
  return [introduction, ...(await Promise.all(modules.map(skillOf)))];
}

async function skillOf(module: WorkflowModule): Promise<Skill> {
  const { mcp: { guidance, tools: load } = {}, name, summary, title, verbs } = module;
  const tools = await load?.();
  const rows = tools
    ? tools.map((tool) => `| \`${tool.name}\` | ${tool.description} |`)
    : verbs.map((verb) => `| \`bloom ${verb.name}\` | ${verb.summary} |`);
  const body = BODIES[name];
  if (body === undefined) throw new Error(`the workflow ${name} has no skill: write one`);
  const text = body
    .replace("TOOLS", ["| Tool | What it does |", "| --- | --- |", ...rows].join("\n"))
    .replace("ROWS", rows.join("\n"));
  const use = `${title}: ${summary} Use it to begin, to go on with, or to look at such work.`;
  return skill(`pawl-${name}`, use, `# ${title}\n\n${summary}${guidance ? ` ${guidance}` : ""}\n\n${text}`);
}

function skill(name: string, description: string, body: string): Skill {
  const head = ["---", `name: ${name}`, `description: ${JSON.stringify(description)}`, "license: MIT", "---"];
  return { name, text: `${head.join("\n")}\n\n${body}\n` };
}
