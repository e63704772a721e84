import type { Requirement } from "./requirements.ts";

const SEEN = "test/e2e/seen-from-outside.test.ts";
const STATS = "src/runtime/stats.test.ts";
const SHOWN = "src/surfaces/cli/stats.test.ts";
const FILTER = "src/surfaces/cli/log-filter.test.ts";
const LOG = "test/e2e/custom-log.test.ts";

/** What is seen of the work from outside: figures, the log, traces and metrics. */
export const OBSERVABILITY: Readonly<Record<string, Requirement>> = {
  "stats.counted": {
    says: "The command `pawl stats` counts money, tokens, time, tries, rework and waits for people from the event log, by the functions that the board uses.",
    source: "docs/observability.md, Figures",
    tests: [
      `${SEEN}: counts money, tokens, time, tries, rework and the wait at the gate, as the board does`,
      `${STATS}: are summed per accepted step, with the share that went into doing it again`,
      `${STATS}: are the same in all after rows that differ in nothing but figures are merged`,
      `${STATS}: last from when the run came to its gate until the verdict`,
      `${STATS}: count for their task and day, also where no agent ran, and for no agent`,
    ],
  },
  "stats.honest": {
    says: "What an agent does not report is shown as not reported, never as zero and never estimated.",
    source: "docs/observability.md, Figures",
    tests: [
      `${STATS}: say what agents did not report: nothing known is not zero`,
      `${SHOWN}: mark what is more than was reported, and what was not reported at all`,
      `${SHOWN}: fit 60 columns, figures under each other, however long a name is`,
    ],
  },
  "log.filter": {
    says: "The command `pawl log` shows the events of a time, of a type, or only the last, of all or of one run; bad input is refused with what is expected.",
    source: "docs/observability.md, The log",
    tests: [
      `${LOG}: shows the events of a time, of a type, or only the last: of all or of one run`,
      `${LOG}: shows the last events, then follows`,
      `${FILTER}: takes a day from its first to its last moment, by the reader's clock`,
      `${FILTER}: refuses %j with a word on what is expected`,
    ],
  },
};
