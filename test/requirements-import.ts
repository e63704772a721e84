import type { Requirement } from "./requirements.ts";

const SOURCE = "ecosystem, Bring along";

/** What an import and an export promise. */
export const IMPORT = {
  "import.texts": {
    says: "A text is carried byte for byte without the marks of its format; what is left out or written otherwise is named.",
    source: "intake, I1",
  },
  "import.states": {
    says: "A status that Pawl does not know is counted by its word and blocks its task, never opens it; a person's word for it is kept for the next import.",
    source: "intake, I2",
  },
  "import.formats": {
    says: "The formats of docs/import.md are read, each with what real files hold, without loss or doubling.",
    source: SOURCE,
  },
  "import.again": {
    says: "A second import updates by id, else by the nearest text, doubles nothing, and names what vanished; what a person or the loop wrote since stays.",
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
