import type { Requirement } from "./requirements.ts";

const SOURCE = "ecosystem, Bring along";

/** What an import and an export promise. */
export const IMPORT = {
  "import.formats": {
    says: "Eleven formats of tasks are read, each with what real files hold, without loss or doubling.",
    source: SOURCE,
  },
  "import.again": {
    says: "A second import updates and doubles nothing, and what a person or the loop wrote since stays.",
    source: SOURCE,
  },
  "import.dependencies": {
    says: "A dependency that leads out of the source or closes a circle is kept as text and reported, never invented.",
    source: SOURCE,
  },
  "import.bounded": {
    says: "A megabyte of anything is read within two seconds or refused in Pawl's words, no link is followed, and an agent of the loop imports nothing.",
    source: SOURCE,
  },
  "import.alfred": {
    says: "Open tasks become task files of Alfred; one that was edited since stays.",
    source: SOURCE,
  },
  "export.forms": {
    says: "The backlog is printed as JSON, CSV that runs nothing in a spreadsheet, and markdown.",
    source: SOURCE,
  },
  "export.github": {
    says: "GitHub gives all pages of its issues, and gets back only the status, only by number, and only where it changed here.",
    source: SOURCE,
  },
} satisfies Record<string, Requirement>;
