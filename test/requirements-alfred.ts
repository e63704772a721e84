/** What Alfred promises. */
import type { Requirement } from "./requirements.ts";

export const ALFRED: Readonly<Record<string, Requirement>> = {
  "alfred.start.seven-steps": {
    says: "start_task's seven steps leave the prompts and state files of the source.",
    source: "alfred, start_task",
    tests: [
      "test/e2e/alfred-start-task.test.ts: start_task goes through the seven steps, each read from disk by a fresh process",
    ],
  },
  "alfred.literal": {
    says: "An assistant that does literally what the prompts say comes from start to done under relay, elicit and confirm, by hand and by the loop.",
    source: "alfred, Tools",
    tests: [
      "test/e2e/alfred-literal.slow.test.ts: under %s a literal assistant comes from start to done, with a rejection at each review, and no call is refused",
      "test/e2e/alfred-literal.slow.test.ts: under %s a literal assistant comes from a product document to tasks, and on to done",
      "test/e2e/alfred-literal.slow.test.ts: over MCP a literal assistant comes to done, with the person asked by the client",
      "test/e2e/alfred-literal.slow.test.ts: a literal assistant hands the plan to the loop, waits for it, and hands in what it did, twice",
    ],
  },
  "alfred.prompts.one-action": {
    says: "Each prompt of each state requires one call that its table allows; people are told words, and never a state's name.",
    source: "alfred, Personas and prompts",
    tests: [
      "src/workflows/alfred/samples.test.ts: every state of every tool has a prompt, and each sample a name of its own",
      "src/workflows/alfred/samples.test.ts: every prompt requires exactly one call, and the table lets it be made there",
      "src/workflows/alfred/samples.test.ts: every prompt is rendered whole, with its words apart and its headings once",
      "src/workflows/alfred/samples.test.ts: people are told where a run stands in words, and never by a state's name",
      "test/e2e/cli-prompts.test.ts: `pawl prompts --all` prints what every workflow says in every state, and writes nothing",
    ],
  },
  "alfred.git.live-state": {
    says: "A run's live state stays in its checkout over checkout, stash -u, clean -fd, reset and merges; after done the tree is clean.",
    source: "review, What a team shares",
    tests: [
      "test/e2e/alfred-git.slow.test.ts: a run keeps its live state over %s",
      "test/e2e/alfred-git.slow.test.ts: after done the tree is clean, and nothing of the live state or the logs is in a commit",
      "test/e2e/alfred-git.slow.test.ts: a branch that brings no .gitignore of Alfred's does not lay the live state open",
      "test/e2e/alfred-git.slow.test.ts: Alfred's own files are no reason to call a tree unclean",
    ],
  },
  "alfred.git.records": {
    says: "A clone derives from the records where each task stands; two branches that advanced one task are held for a person.",
    source: "review, What a team shares",
    tests: [
      "test/e2e/alfred-git.slow.test.ts: two branches that each did a task are merged without a conflict, and both are done for whoever clones",
      "test/e2e/alfred-git.slow.test.ts: a clone goes on with a task whose finished steps were committed",
      "test/e2e/alfred-git.slow.test.ts: a task that was advanced on two branches is held in a clone, with both sides named",
    ],
  },
  "alfred.start.reject": {
    says: "A rejection lands in the work state with its feedback; there submitting and approving both work.",
    source: "alfred, start_task",
    tests: [
      "test/e2e/alfred-gates.test.ts: a rejection keeps its feedback, shows it with the artifact, and loses it when the next one is accepted",
      "test/e2e/alfred-gates.test.ts: after a rejected git status an approval puts the stored artifact up for review again",
    ],
  },
  "alfred.start.dirty": {
    says: "A dirty tree never blocks; the reviewer is told, and what the server found stands beside the report.",
    source: "alfred, start_task",
    tests: [
      "test/e2e/alfred-gates.test.ts: a dirty tree never blocks; the reviewer is told and given proposals",
      "test/e2e/alfred-gates.test.ts: the server says where the report differs from the repository",
    ],
  },
  "alfred.life": {
    says: "A task goes from created to done through every tool, with a new server for every call.",
    source: "alfred, Tools",
    tests: [
      "test/e2e/alfred-life.test.ts: a task goes from created to done, through every tool and every gate",
      "test/e2e/alfred-mcp.slow.test.ts: a task goes from created to done over MCP, with a new server for every call",
    ],
  },
  "alfred.plan": {
    says: "plan_task's machine is the source's.",
    source: "sources/001",
    tests: [
      "src/workflows/alfred/machine.test.ts: plan_task: test_initial_state",
      "src/workflows/alfred/machine.test.ts: plan_task: test_full_success_flow",
      "src/workflows/alfred/machine.test.ts: plan_task: test_rejection_at_design_review",
    ],
  },
  "alfred.invalid": {
    says: "What does not fit is refused with every fault at once, and the state stays byte by byte.",
    source: "alfred, Artifacts",
    tests: [
      "test/e2e/alfred-invalid.test.ts: every state of every tool refuses what is not its artifact, and its state stays as it is, byte by byte",
    ],
  },
  "alfred.truncated": {
    says: "A state file that cannot be parsed is an error with a line, and is left as it is.",
    source: "alfred, Files",
    tests: [
      "test/e2e/alfred-gates.test.ts: a state file that is cut off is an error with its line, and is left as it is",
    ],
  },
  "alfred.task-grammar": {
    says: "A task that is read and written again is the same task.",
    source: "alfred, Files",
    tests: ["src/workflows/alfred/task-file.test.ts: any task that is written is read back as it was"],
  },
  "alfred.prompts": {
    says: "Prompts are strict, keep their size, and hold values as values; the project's own go first.",
    source: "alfred, Personas and prompts",
    tests: [
      "test/e2e/alfred-gates.test.ts: a prompt with an unknown variable is an error that names it, and nothing has changed",
      "test/e2e/alfred-gates.test.ts: a value that looks like a template, a fence or a state line stays a value",
      "test/e2e/alfred-prompts.test.ts: every prompt stays within its size, with one state line, one directive and one required action",
      "test/e2e/alfred-gates.test.ts: the project's own persona, prompt and artifact template go before the packaged ones",
    ],
  },
  "alfred.gates": {
    says: "A human's verdict is the human's: relayed, elicited or confirmed, and void once the artifact changed.",
    source: "alfred, plan_task",
    tests: [
      "test/e2e/mcp-human.test.ts: is the human's, whatever the model passed on",
      "test/e2e/alfred-gates.test.ts: confirm: a model cannot give the human's verdict, a person at a terminal can",
      "test/e2e/alfred-gates.test.ts: an artifact that is changed on disk after its approval is not approved",
    ],
  },
  "alfred.loop": {
    says: "A plan is handed to the loop, and comes back as a manifest made of evidence, or not at all.",
    source: "alfred, bloom: from plan to run",
    tests: [
      "test/e2e/alfred-loop.slow.test.ts: a plan is handed to the loop, worked by agents, and its evidence comes back as the manifest, up to the gates",
      "test/e2e/alfred-loop.slow.test.ts: from a terminal it is exported, run and taken back, and each again changes nothing",
      "test/e2e/alfred-loop.slow.test.ts: a step that its agent lied about never comes back: the loop is blocked, and the manifest can still be handed in by hand",
      "test/e2e/alfred-loop.slow.test.ts: what was rejected, or has moved since, comes back only after the loop has seen it again",
      "test/e2e/alfred-loop-killed.slow.test.ts: a loop that is killed just %s it tells of the merge loses no evidence, nor does a hand-in that is killed",
      "test/e2e/alfred-loop.slow.test.ts: where the branch has moved since",
      "test/e2e/alfred-loop.slow.test.ts: where its steps do not cover the plan",
      "test/e2e/alfred-loop.slow.test.ts: a person's save that meets the commit of a hand-over stays in tasks.yaml, with what was handed over beside it",
      "src/tasks-file/add-task.test.ts: with %s, the rest stays as it is, byte by byte",
    ],
  },
  "alfred.rework": {
    says: "What was rejected is handed to the loop as one step with the feedback as data, and comes back through the same gates.",
    source: "alfred, bloom: from plan to run",
    tests: [
      "test/e2e/alfred-rework.slow.test.ts: a rejection is handed over as one step, done by the loop, taken back, and the next one as the next step",
      "test/e2e/alfred-rework.slow.test.ts: what a review or a test sent back is exported from a terminal, once, and comes back through the gates",
      "test/e2e/alfred-rework.slow.test.ts: what was asked for is not added while the loop is at it, nor to a layout that would have to be changed",
      "src/workflows/alfred/rework.test.ts: with %s, what was said stays quoted, printable and short",
      "src/tasks-file/add-step.test.ts: the step goes behind the last one, the task is ready, and every other byte stays",
    ],
  },
  "alfred.evidence": {
    says: "The server gathers what it can see and puts it beside the artifact; checks are really run.",
    source: "design, idea 4",
    tests: [
      "test/e2e/alfred-evidence.test.ts: configured checks are really run, and shown with exit code, duration and the end of their output",
      "test/e2e/alfred-evidence.test.ts: where evidence is required, a disagreement stops the approval, and a rejection is still possible",
    ],
  },
  "alfred.trackers": {
    says: "Offline or with a wrong token the local state is untouched, and the status is written later.",
    source: "alfred, Tools",
    tests: [
      "test/e2e/alfred-trackers.test.ts: while the tracker cannot be reached the work goes on, and the status is written later",
    ],
  },
  "alfred.github": {
    says: "GitHub's issues are tasks as Jira's and Linear's are: read when they are needed, with what blocks them; told their status by labels and by being closed.",
    source: "ecosystem, Bring along",
    tests: [
      "test/e2e/alfred-trackers.test.ts: a task is read when it is first worked on, and kept as a file from then on",
      "test/e2e/alfred-trackers.test.ts: the next task is chosen among all pages of the tracker and what is here",
      "test/e2e/alfred-trackers.test.ts: the status is written back as mapped, and an accepted plan is commented on once",
      "test/e2e/alfred-trackers.test.ts: an issue has one mapped label at a time, is closed as completed when it is done, and opened again",
      "test/e2e/alfred-trackers.test.ts: the repository is the checkout's where the configuration names none, or the error says how to name it",
      "test/e2e/alfred-trackers.test.ts: neither a pull request nor an issue that moved elsewhere is a task, and a limit is said as one",
    ],
  },
};
