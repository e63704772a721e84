import type { Requirement } from "./requirements.ts";

const SOURCE = "ecosystem, Bring along";
const TEXTS = "src/import/texts.test.ts";
const PLAN = "src/import/plan.test.ts";
const LISTS = "src/import/checklists.test.ts";
const ISSUES = "src/import/issues.test.ts";
const MASTER = "src/import/task-master.test.ts";
const E2E = "test/e2e/import.slow.test.ts";

/** What an import and an export promise. */
export const IMPORT: Readonly<Record<string, Requirement>> = {
  "import.formats": {
    says: "Eleven formats of tasks are read, each with what real files hold, without loss or doubling.",
    source: SOURCE,
    tests: [
      `${MASTER}: is read flat, by tags, as a bare list, and as a map`,
      `${MASTER}: takes ids as numbers, texts and decimals, and tells a decimal from a subtask`,
      `${MASTER}: follows subtasks' dependencies as siblings, dotted or as texts, and leaves the rest as text`,
      `${MASTER}: knows every status, and another tool's \`completed\``,
      `${LISTS}: takes boxes without ids, but no legend and no closing checklist`,
      `${LISTS}: reads tasks that are headings, with code in them and Windows line ends`,
      `${LISTS}: reads notes in brackets, struck lines, Japanese and Chinese`,
      `${LISTS}: has one task for each change, its scenarios as criteria, and the same 1.1 in each`,
      `${LISTS}: reads boxes without numbers, a sibling that is one space off, nested bullets and code`,
      `${LISTS}: reads numbers from anywhere, with 1.1 in the column of 1, and a parent once as text`,
      `${LISTS}: takes parents that are headings, and text eight lines below its task`,
      `${ISSUES}: keeps an archived and a live task of one id, a changed prefix, and ids that differ in case`,
      `${ISSUES}: takes files without front matter by their names, front matter that is no YAML, and no README`,
      `${ISSUES}: takes names with a word before the number, and without front matter the status that the text begins with`,
      `${ISSUES}: reads issues, dotted children three deep, and only what blocks as dependencies`,
      `${ISSUES}: leaves tombstones and events out, says so, and survives an empty file and a torn line`,
      `${ISSUES}: leaves pull requests out, and takes an issue whose pull_request is null for one`,
      `${ISSUES}: reads a search answer, pages one after another, and pages in a list`,
      `${ISSUES}: keeps issues of one number apart by whatever names their repository, or else by their words`,
      `${ISSUES}: takes what stands in a list below a heading, but nothing in code`,
      `${ISSUES}: reads issues by their project, closed and moved ones`,
      `${ISSUES}: leaves merge requests out, by themselves and in what a collector wraps around them`,
      `${ISSUES}: reads a project's export, whose issues name their project by a number and hold their labels in links`,
      `src/import/vibe-kanban.test.ts: reads what its API answers`,
      `src/import/vibe-kanban.test.ts: reads the table of issues that its export holds, and takes no other table for tasks`,
      `${TEXTS}: keeps one title many times, and a title of 1,300 characters whole`,
      `${TEXTS}: takes bullets where there is no box, and headings with a tick where nothing stands below them`,
      `${TEXTS}: reads commas, semicolons and tabs, a byte order mark, cells of several lines, and zeros in front`,
      `${TEXTS}: counts the lines that belong to no task`,
      `${TEXTS}: takes columns whose names end like those of a title and a text`,
      `${TEXTS}: is seen in the keys, not in the words of a label, and in the content of a file with a wrong ending`,
      `${TEXTS}: reads three columns of one name, lists by ; , and |, parents by title, and formulas as text`,
    ],
  },
  "import.again": {
    says: "A second import updates and doubles nothing, and what a person or the loop wrote since stays.",
    source: SOURCE,
    tests: [
      `${PLAN}: changes nothing the second time, whatever the texts hold`,
      `${PLAN}: updates what the source changed, and keeps what a person or the loop changed since`,
      `${PLAN}: finds a task by its source, whatever a person calls it, and never takes a person's own for it`,
      `${PLAN}: takes away nothing that the source no longer has, and does not bring back a note that was taken away`,
      `${E2E}: shows what it would write, writes it, and changes nothing the second time`,
      `${E2E}: updates what changed there, and keeps every byte that a person wrote`,
    ],
  },
  "import.dependencies": {
    says: "A dependency that leads out of the source or closes a circle is kept as text and reported, never invented.",
    source: SOURCE,
    tests: [
      `${PLAN}: keeps as a note what depends on something that is not in the source, or on itself`,
      `${PLAN}: breaks circles where they close, those over parents and present tasks too`,
      `${LISTS}: leaves dependencies in prose as prose`,
    ],
  },
  "import.bounded": {
    says: "A megabyte of anything is read within two seconds or refused in Pawl's words, no link is followed, and an agent of the loop imports nothing.",
    source: SOURCE,
    tests: [
      "test/linear.slow.test.ts: is read within two seconds, or refused in Pawl's own words: %s",
      `${PLAN}: plans ten thousand tasks in a chain without waiting`,
      `${E2E}: refuses what it cannot read in Pawl's words, and leaves tasks.yaml`,
      "src/adapters/sources/unreadable.test.ts: is refused by its name and why, in Pawl's words, a folder too",
      `${E2E}: follows no link below the folder that is named`,
      `${E2E}: is refused to an agent of the loop`,
    ],
  },
  "import.alfred": {
    says: "Open tasks become task files of Alfred; one that was edited since stays.",
    source: SOURCE,
    tests: [`${E2E}: writes Alfred's task files, and leaves one that was edited since`],
  },
  "export.forms": {
    says: "The backlog is printed as JSON, CSV that runs nothing in a spreadsheet, and markdown.",
    source: SOURCE,
    tests: [
      `${E2E}: prints JSON, CSV that runs nothing, and a checklist; an import reads the last two again`,
    ],
  },
  "export.github": {
    says: "GitHub gives all pages of its issues, and gets back only the status, only by number, and only where it changed here.",
    source: SOURCE,
    tests: [`${E2E}: gives its issues, all pages of them, and gets back the status that changed here, alone`],
  },
};
