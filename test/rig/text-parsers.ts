/**
 * Every parser that is given text by others (files that people and agents edit, what services answer, what a model
 * passes), by name, each as a function of the text. Run in a worker, so that one that hangs can be ended.
 */
import { parentPort } from "node:worker_threads";
import { faultOfStatus, faultWords } from "../../src/adapters/agents/dialects/dialect.ts";
import { resetIn } from "../../src/adapters/agents/dialects/reset-time.ts";
import { splitLines } from "../../src/adapters/agents/line-splitter.ts";
import { parseAddress } from "../../src/adapters/forge/remotes.ts";
import { tailOf } from "../../src/adapters/forge/returned.ts";
import { typeIn } from "../../src/adapters/git/merge.ts";
import { parseTree } from "../../src/adapters/git/objects.ts";
import { rangeIn } from "../../src/adapters/git/range-history.ts";
import { secretsInFile } from "../../src/adapters/process/included-secrets.ts";
import { renderDocument } from "../../src/adapters/trackers/document.ts";
import { renderHtml } from "../../src/adapters/trackers/html.ts";
import { renderWiki } from "../../src/adapters/trackers/wiki-markup.ts";
import { PawlError } from "../../src/core/error.ts";
import { parseRecord, placeOfRecord } from "../../src/core/gate-record.ts";
import { parseLoopRecord } from "../../src/core/loop-record.ts";
import { projectPath } from "../../src/core/path.ts";
import { isTouched } from "../../src/core/ssh-signature.ts";
import { clean } from "../../src/core/text/clean.ts";
import { fenced, quote } from "../../src/core/text/fence.ts";
import { nearest } from "../../src/core/text/nearest.ts";
import { readYaml } from "../../src/core/yaml/yaml.ts";
import { plainCommands } from "../../src/guard/plain-commands.ts";
import { detect, readAs } from "../../src/import/readers.ts";
import type { Format } from "../../src/import/source.ts";
import { parseRecord as parseTeamRecord } from "../../src/runtime/run-log/team-records.ts";
import { withProjectId } from "../../src/surfaces/cli/team/project-id.ts";
import { renderMarkdown } from "../../src/surfaces/cli/terminal/render-markdown.ts";
import { paintOf } from "../../src/surfaces/cli/terminal/terminal.ts";
import { cut, wrap } from "../../src/surfaces/cli/terminal/text-width.ts";
import { renderDiff } from "../../src/tasks-file/diff.ts";
import { readReply } from "../../src/tasks-file/proposal.ts";
import { readTasks } from "../../src/tasks-file/read.ts";
import { split } from "../../src/tasks-file/split.ts";
import { reworkInstruction } from "../../src/workflows/alfred/loop/rework.ts";
import { titleIn } from "../../src/workflows/alfred/overview.ts";
import {
  parseState as parseAlfredState,
  RECORDED_STATE as TASK_RECORDED,
} from "../../src/workflows/alfred/state/state-file.ts";
import { parseTask } from "../../src/workflows/alfred/state/task-file.ts";
import { validate } from "../../src/workflows/alfred/tools/validate.ts";
import { templateFault } from "../../src/workflows/custom/definition/template.ts";
import { observeChecklist } from "../../src/workflows/custom/observe.ts";
import { parseRun, RECORDED_STATE } from "../../src/workflows/custom/run-file.ts";
import { parseAtlassianUrls, parseRefs, unprocessedUrls } from "../../src/workflows/spells/atlassian.ts";
import { renderForTerminal } from "../../src/workflows/spells/cast.ts";
import { isIncomplete, renderRetried } from "../../src/workflows/spells/comments-file.ts";
import { parseCriteria } from "../../src/workflows/spells/criteria.ts";
import { closingFence, renderFenced } from "../../src/workflows/spells/fence.ts";
import { parseTaskName } from "../../src/workflows/spells/front-matter.ts";
import { appendReferences } from "../../src/workflows/spells/links.ts";
import { parseState } from "../../src/workflows/spells/state-file.ts";

const SCREEN = { columns: 80, paint: paintOf(true) };
const RUN = projectPath(".pawl/runs/T-1.json");
const REMARK = { part: "comments", author: "ann", url: "u", time: "t" } as const;
const inTask = (text: string) =>
  `# TASK: TS-01\n\n## Title\nA\n\n## Context\n${text}\n\n## Implementation Details\n\nx\n\n## Acceptance Criteria\n\n- ${text}\n`;
const fetched = (text: string) => ({
  kind: "fetched" as const,
  pull: { repository: "a/b", number: 1, title: text, url: "u", branch: text },
  remarks: [{ ...REMARK, text }],
  threads: "known" as const,
  missing: null,
  failure: null,
});

/** What reads YAML, which is given its own awkward texts, too. */
export const YAML_PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "YAML: a file": (text) => readYaml(text, { merge: true }),
  "tasks.yaml": (text) => readTasks(text, null),
};

/** Each reader on the text itself, and on the text where its format has one. */
function importParsers(): Readonly<Record<string, (text: string) => unknown>> {
  const fronted = (text: string) => `---\nid: task-1\ntitle: x\n---\n${text}`;
  const values = (text: string) =>
    JSON.stringify([{ id: text, number: 1, title: text, body: text, status: text, dependencies: [text] }]);
  const rows = (text: string) => `ID,Title,Blocked by\n1,${text},${text}\n`;
  type Reading = readonly [path: string, ...wraps: ((text: string) => string)[]];
  const readings: Readonly<Record<Format, Reading>> = {
    "task-master": ["tasks/tasks.json", values],
    ralph: ["prd.json", values],
    "feature-list": ["feature_list.json", values],
    "spec-kit": ["specs/1/tasks.md", (text) => `- [ ] T001 ${text}`, (text) => `### T001: ${text}`],
    openspec: ["openspec/changes/a/tasks.md", (text) => `- [ ] 1.1 ${text}`],
    kiro: [".kiro/specs/a/tasks.md", (text) => `- [ ] 1. a\n  ${text}`],
    "backlog-md": ["backlog/tasks/task-1 - x.md", fronted, (text) => `---\n${text}\n---\n`],
    beads: [
      ".beads/issues.jsonl",
      (text) => JSON.stringify({ id: "b", title: text, acceptance_criteria: text }),
    ],
    "vibe-kanban": ["v.json", values],
    conductor: ["conductor/tracks/a/plan.md", (text) => `- [ ] Task: a\n    - [ ] ${text}`],
    "agent-os": ["agent-os/specs/a/tasks.md", (text) => `- [ ] 1. ${text}`],
    "exec-plan": ["plan.md", (text) => `## Progress\n- [ ] ${text}\n## Decision Log\n`],
    gsd: [".planning/ROADMAP.md", (text) => `- [ ] **Phase 1: a** - ${text}\n### Phase 1: a\n${text}`],
    bmad: ["sprint-status.yaml", (text) => `development_status:\n  1-1-a: "${text}"\n`],
    ccpm: [".claude/epics/a/1.md", (text) => `---\nname: x\n---\n${text}`],
    trello: ["t.json", (text) => JSON.stringify({ lists: [], cards: [{ id: "a", name: text, desc: text }] })],
    "gh-project": ["p.json", (text) => JSON.stringify({ items: [{ content: { title: text, body: text } }] })],
    "claude-tasks": ["1.json", (text) => JSON.stringify({ id: "1", subject: text, blocks: [text] })],
    github: ["g.json", values],
    gitlab: ["l.json", values],
    markdown: ["TODO.md", (text) => `- [ ] ${text}`, (text) => `# ✅ ${text}`],
    csv: ["x.csv", rows],
  };
  const parsers = (Object.entries(readings) as [Format, Reading][]).map(([format, [path, ...wraps]]) => {
    const read = (text: string) => readingOf(() => readAs(format, [{ path, text }]));
    return [
      `import: ${format}`,
      (text: string) => [read(text), ...wraps.map((wrap) => read(wrap(text)))],
    ] as const;
  });
  return Object.fromEntries([
    ...parsers,
    [
      "import: its format",
      (text: string) =>
        ["a.md", "a.json", "a.jsonl"].map((path) => readingOf(() => detect([{ path, text }], path))),
    ],
  ]);
}

/** A refusal in Pawl's words is an answer, so that every text is tried. */
function readingOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof PawlError) return thrown.code;
    throw thrown;
  }
}

const TEXT_PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "a shell's command": (text) => plainCommands(text),
  "a shell's command of the longest kind": (text) => plainCommands(text.slice(0, 20_000)),
  "spells: links": (text) => [parseAtlassianUrls(text), unprocessedUrls(text, text)],
  "spells: links, after an address": (text) => parseAtlassianUrls(`https://a.atlassian.net/${text}`),
  "spells: links, in what was fetched": (text) =>
    parseAtlassianUrls(`## Fetched from https://a.atlassian.net/x\n\n\`\`\`markdown\n${text}`),
  "spells: .atlassian-refs": (text) => parseRefs(text),
  "spells: criteria": (text) => parseCriteria(text),
  "spells: criteria, within one": (text) => parseCriteria(`- [ ] ${text}`),
  "spells: front matter": (text) => [parseTaskName(`---\n${text}\n---\n`, ""), parseTaskName(text, "")],
  "spells: task_name": (text) => parseTaskName(`---\ntask_name: "${text}"\n---\n`, ""),
  "spells: comments.md": (text) => [isIncomplete(text), renderRetried(text, fetched("x"), "t")],
  "spells: a comment": (text) => renderRetried("# Pull Request Comments\n\nx", fetched(text), "t"),
  "spells: fences": (text) => [renderFenced(text), closingFence(text)],
  "spells: fetched text": (text) => appendReferences(text, [{ url: "u", markdown: text }], "t"),
  "spells: state.json": (text) => [parseState(JSON.stringify({ current_state: text })), parseState(text)],
  "spells: a reply in a terminal": (text) =>
    renderForTerminal(`## Response to the AI\n${text}\n## Response to the Developer\n${text}`, "moved"),
  "alfred: task file": (text) => parseTask(text, "x"),
  "alfred: task file, within its sections": (text) => parseTask(inTask(text.slice(0, text.length / 2)), "x"),
  "alfred: a task's title": (text) => [
    titleIn(text),
    titleIn(`## Title${text}`),
    titleIn(`## Title\n${text}`),
  ],
  "alfred: artifact": (text) => [
    validate("DesignArtifact", "design", {
      design_summary: text,
      file_breakdown: [{ file_path: text, change_summary: text, operation: text }],
    }),
  ],
  "alfred: keys of an artifact": (text) => validate("GitStatusArtifact", "x", { [text]: text }),
  "alfred: state": (text) => parseAlfredState(text, "TS-01", "x"),
  "values in a template": (text) => [quote(text), fenced(text)],
  "alfred: feedback for the loop": (text) =>
    reworkInstruction("TS-01", [{ time: "t", what: "w", said: text, keeps: "end" }]),
  "tasks.yaml: cuts": (text) => [
    split(`tasks:${text}`),
    split(`tasks:\n${text}`),
    split(`tasks:\n- ${text}`),
  ],
  "bloom: an agent's proposal": (text) => [
    readingOf(() => readReply(text)),
    readingOf(() => readReply(`\`\`\`\n${text}\n\`\`\``)),
  ],
  "bloom: record": (text) => parseLoopRecord(RUN, text),
  "gates: record": (text) => [
    parseRecord(text),
    parseRecord(JSON.stringify({ v: 1, project: text, notes: text })),
    placeOfRecord(text),
    placeOfRecord(`.alfred/gates/${text}/1/0001.json`),
  ],
  "gates: signature": (text) => [
    isTouched(text),
    isTouched(`-----BEGIN SSH SIGNATURE-----\n${text}`),
    isTouched(`-----BEGIN SSH SIGNATURE-----\n${text}-----END SSH SIGNATURE-----\n`),
  ],
  "gates: pawl.yaml without an id": (text) => [withProjectId(text, "x"), withProjectId(`{${text}`, "x")],
  "git: a range": (text) => [rangeIn(text), rangeIn(`main..${text}`)],
  "git: a tree": (text) => parseTree(text, 20),
  "own workflow: run": (text) => parseRun("x", "w", "1", text),
  "alfred: record": (text) =>
    parseTeamRecord(
      projectPath(".alfred/records/alfred/TS-01/0001-0001-0123456789abcdef.jsonl"),
      "alfred:TS-01",
      text,
      TASK_RECORDED,
    ),
  "own workflow: record": (text) =>
    parseTeamRecord(
      projectPath(".alfred/records/w/1/0001-0001-0123456789abcdef.jsonl"),
      "w:1",
      text,
      RECORDED_STATE,
    ),
  "own workflow: checklist": (text) => observeChecklist(text, "x"),
  "own workflow: template": (text) => templateFault(text),
  "tracker: HTML": (text) => renderHtml(text),
  "tracker: wiki markup": (text) => renderWiki(text),
  "tracker: document": (text) =>
    renderDocument({ content: [{ type: "bulletList", content: [{ content: [{ text }] }] }] }),
  "agent: its failure": (text) => [
    faultOfStatus(null, faultWords(text), text),
    resetIn(faultWords(text), new Date(0)),
  ],
  "bloom: a difference": (text) => [renderDiff("a", null, text), renderDiff("a", text, `${text}\nx`)],
  "forge: a log": (text) => tailOf(text),
  "git: a merge's type": (text) => typeIn(text),
  "a file with secrets": (text) => secretsInFile(".env", text),
  "forge: remote": (text) => [parseAddress(text), parseAddress(`https://${text}`)],
  "agent: lines": (text) => {
    const lines: string[] = [];
    const splitter = splitLines((line) => lines.push(line));
    splitter.push(Buffer.from(text));
    splitter.end();
  },
  terminal: (text) => [clean(text), cut(text, 80), wrap(text, 80), renderMarkdown(text, SCREEN)],
  ...importParsers(),
  names: (text) => nearest(text, ["task_id", "feedback_notes"]),
};

export const PARSERS = { ...TEXT_PARSERS, ...YAML_PARSERS };

/** What tells how fast the machine is at the moment: plain YAML, by the parser that all of it goes through. */
export const REFERENCE = "the reference";
const PLAIN = "- name: plain\n  value: [1, two]\n".repeat(3_000);

parentPort?.on("message", ({ name, text }: { name: string; text: string }) => {
  const before = process.threadCpuUsage();
  let thrown: string | null = null;
  try {
    if (name === REFERENCE) readYaml(PLAIN, { merge: true });
    else (PARSERS as Readonly<Record<string, (text: string) => unknown>>)[name]?.(text);
  } catch (cause) {
    const { name: kind, code, message } = cause as { name: string; code?: string; message: string };
    thrown = kind === "PawlError" && code !== "internal" ? null : `${kind}: ${message.slice(0, 200)}`;
  }
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ milliseconds: (user + system) / 1000, thrown });
});
