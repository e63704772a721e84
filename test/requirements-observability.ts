import type { Requirement } from "./requirements.ts";

/** What is seen of the work from outside: figures, the log, traces and metrics. */
export const OBSERVABILITY = {
  "stats.counted": {
    says: "The command `pawl log stats` counts money, tokens, time, tries, rework and waits for people from the event log, by the functions that the board uses.",
    source: "docs/observability.md, Figures",
  },
  "stats.honest": {
    says: "What an agent does not report is shown as not reported, never as zero and never estimated.",
    source: "docs/observability.md, Figures",
  },
  "log.filter": {
    says: "The command `pawl log` shows the events of a time, of a type, or only the last, of all or of one run; bad input is refused with what is expected.",
    source: "docs/observability.md, The log",
  },
  "log.parts": {
    says: "A long event log is put aside, in no moment lost or doubled, and its parts are read as one log in which no position changes.",
    source: "ecosystem, Seen from outside (rotation by size)",
  },
  "trace.spans": {
    says: "A run is a trace of its steps, agents, checks, merge and waits, made from the log by one function; its ids are the same in every process.",
    source: "docs/observability.md, A run as a trace",
  },
  "telemetry.live": {
    says: "Where a receiver is named, each process exports what its commits ended, as traces and metrics by OTLP; an agent and a check are told their span, and several machines make one trace of a run.",
    source: "docs/observability.md, OpenTelemetry",
  },
  "telemetry.names": {
    says: "Attributes and metrics have the names of one pinned version of the published semantic conventions; an agent's span names its model where the agent or its settings say it.",
    source: "ecosystem, Seen from outside",
  },
  "telemetry.private": {
    says: "What agents, people and the project wrote does not leave the machine unless it is asked for.",
    source: "docs/observability.md, What leaves the machine",
  },
  "telemetry.beside": {
    says: "A loop's export runs in a process beside it, which costs the loop's own time next to nothing and ends with the loop.",
    source: "docs/observability.md, OpenTelemetry",
  },
  "telemetry.harmless": {
    says: "A receiver that is gone or silent stops no work, and a start without one loads nothing of OpenTelemetry.",
    source: "docs/observability.md, OpenTelemetry",
  },
  "board.metrics": {
    says: "The board shows the figures as Prometheus text to its page, or to a program with a token that opens nothing else.",
    source: "docs/observability.md, Prometheus",
  },
} satisfies Record<string, Requirement>;
