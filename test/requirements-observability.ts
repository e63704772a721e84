import type { Requirement } from "./requirements.ts";

const SEEN = "test/e2e/seen-from-outside.slow.test.ts";
const STATS = "src/runtime/stats.test.ts";
const SHOWN = "src/surfaces/cli/stats.test.ts";
const FILTER = "src/surfaces/cli/log-filter.test.ts";
const PARTS = "src/adapters/events/log-parts.test.ts";
const LOG = "test/e2e/custom-log.test.ts";
const TRACE = "src/runtime/trace.test.ts";
const LIVE = "test/e2e/opentelemetry.slow.test.ts";

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
  "log.parts": {
    says: "A long event log is put aside, in no moment lost or doubled, and its parts are read as one log in which no position changes.",
    source: "ecosystem, Seen from outside (rotation by size)",
    tests: [
      "src/adapters/files/store.test.ts: is put aside when the journal is settled, and a new one begins",
      "src/adapters/files/store.test.ts: stays where a program is still writing a line of it",
      "src/adapters/files/store.test.ts: stays where the disk knows no second name for a file, and nothing fails",
      `${PARTS}: has the positions, the generation and the lines that it had`,
      `${PARTS}: is whole where nothing follows yet`,
      `${PARTS}: is read once where putting aside ended half done, %s`,
      `${PARTS}: takes no link for a part, and reads to the end a part that somebody cut`,
      `${PARTS}: is followed while its parts are put aside, one after the other`,
      `${PARTS}: finds a run's lines in all parts`,
      `${SEEN}: is read as one: log, trace, stats, show and status`,
      "test/e2e/database.slow.test.ts: has the whole event log, also what was put aside of it here because it was long",
    ],
  },
  "trace.spans": {
    says: "A run is a trace of its steps, agents, checks, merge and waits, made from the log by one function; its ids are the same in every process.",
    source: "docs/observability.md, A run as a trace",
    tests: [
      `${TRACE}: is its task with its step, agents, checks, waits and merge, each where it belongs`,
      `${TRACE}: has the same ids whoever makes them, and names an agent's span before its end`,
      `${TRACE}: shows what lasts, and what was lost with its owner`,
      `${TRACE}: has a span for each machine of a workflow with several, and links the callers of its moves`,
      `${TRACE}: survives lines that are not as they should be`,
    ],
  },
  "telemetry.live": {
    says: "Where a receiver is named, each process exports what its commits ended, as traces and metrics by OTLP; an agent and a check are told their span, and several machines make one trace of a run.",
    source: "docs/observability.md, OpenTelemetry",
    tests: [
      `${LIVE}: gets each run as one trace, from every process that worked on it, and the figures`,
      `${LIVE}: speaks protobuf where nothing else is asked for`,
      `${LIVE}: gets a run as the same trace from each of several machines`,
      "src/adapters/routed/event-log.test.ts: have the traces of a run begin from the log that has its events, whatever is in the other one",
    ],
  },
  "telemetry.names": {
    says: "Attributes and metrics have the names of one pinned version of the published semantic conventions; an agent's span names its model where the agent or its settings say it.",
    source: "ecosystem, Seen from outside",
    tests: [
      "src/adapters/telemetry/conventions.test.ts: are those of the pinned version of the semantic conventions, which the documentation names",
      "src/adapters/telemetry/conventions.test.ts: have the published values for the operation, the kinds of tokens and the known providers",
      "src/adapters/agents/heard.test.ts: tell the model where the agent says it, and no name that is none",
    ],
  },
  "telemetry.private": {
    says: "What agents, people and the project wrote does not leave the machine unless it is asked for.",
    source: "docs/observability.md, What leaves the machine",
    tests: [
      `${LIVE}: gets each run as one trace, from every process that worked on it, and the figures`,
      `${TRACE}: keeps what others wrote out of names and attributes`,
    ],
  },
  "telemetry.beside": {
    says: "A loop's export runs in a process beside it, which costs the loop's own time next to nothing and ends with the loop.",
    source: "docs/observability.md, OpenTelemetry",
    tests: [`${LIVE}: is sent by a process beside the loop, which ends with it, also where it is killed`],
  },
  "telemetry.harmless": {
    says: "A receiver that is gone or silent stops no work, and a start without one loads nothing of OpenTelemetry.",
    source: "docs/observability.md, OpenTelemetry",
    tests: [
      `${LIVE}: stops and delays no work where the receiver %s: it is said once`,
      "test/architecture.test.ts: loads nothing of OpenTelemetry at a start: it waits behind an import of its own",
    ],
  },
  "board.metrics": {
    says: "The board shows the figures as Prometheus text to its page, or to a program with a token that opens nothing else.",
    source: "docs/observability.md, Prometheus",
    tests: [`${SEEN}: are the figures as Prometheus reads them, for a session or a token of its own`],
  },
};
