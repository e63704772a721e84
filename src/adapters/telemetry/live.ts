/**
 * The live export by OpenTelemetry's SDK. Loaded only if a receiver is named.
 *
 * L1  A process exports the spans that its own commits ended: each once, whichever process began it. Spans
 *     that the receiver misses are not sent again.
 * L2  This never fails or delays the work: queues are bounded, and closing waits a moment at most.
 */
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { PawlEvent } from "../../core/event.ts";
import { runOf } from "../../core/event-lines.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import type { Workflows } from "../../runtime/project.ts";
import { openTraceDigest } from "../../runtime/reports/load-trace.ts";
import type { Digest } from "../../runtime/reports/log-digest.ts";
import type { Trace, TraceSpan } from "../../runtime/reports/trace.ts";
import { hasProxy, openAgent } from "../net/proxy.ts";
import { type Measures, openMeasures } from "./metrics.ts";
import { otlpSpan } from "./otlp-span.ts";
import { type Environment, isSent, protocolOf, type Signal, sendsWords } from "./variables.ts";

export interface LiveOptions {
  readonly environment: Environment;
  readonly version: string;
  /** Identifies this process. */
  readonly instance: string;
  readonly workflows: Workflows;
  readonly log: () => Promise<EventLog>;
  readonly warn: (line: string) => void;
  /** The process is about to end: no retries. */
  readonly isEnding: boolean;
}

export interface Live {
  /** Takes events that this process committed, in order. */
  take(events: readonly PawlEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds for an export with its retries, unless `OTEL_EXPORTER_OTLP_TIMEOUT` is set. */
const EXPORT_TIMEOUT = { ending: 900, running: 5000 };
/** Milliseconds: events come seldom and many at a time. */
const SOON = 100;
const MAX_UNCLAIMED = 1000;
/** Milliseconds that the process waits at its end. */
const CLOSE_LIMIT = 2000;

export function openLive(setup: LiveOptions): Live {
  const { environment, instance, version } = setup;
  const resource = resourceOf({ "service.version": version, "service.instance.id": instance });
  const warn = warnOnce(setup.warn);
  const sinks = openSinks(setup, warn);
  const spans =
    sinks.traces && new BatchSpanProcessor({ exporter: sinks.traces, scheduledDelayMillis: SOON });
  const measures: Measures | null = sinks.metrics && openMeasures(sinks.metrics, resource, version);
  const source = { resource, version, withWords: sendsWords(environment) };
  const traces = new Map<string, Digest<ReadonlyMap<string, Trace>>>();
  // By id: a read of the log may be ahead of the reported commits, or read a run again.
  const ended = new Map<string, { readonly by: string; readonly span: TraceSpan }>();
  const read = async (runs: readonly string[], log: EventLog) => {
    const fresh = runs.filter((run) => !traces.has(run));
    const opened =
      fresh.length === 0
        ? null
        : await openTraceDigest({ log, runs: fresh, workflows: setup.workflows }, (spans, by) => {
            for (const span of spans) ended.set(span.id, { by: by.id, span });
          });
    if (opened !== null) for (const run of fresh) traces.set(run, opened);
    // A run that is over is dropped from memory; a later event reads it again.
    for (const traceId of new Set(runs.flatMap((run) => traces.get(run) ?? [])))
      for (const [run, trace] of await traceId.of(log)) if (trace.open().length === 0) traces.delete(run);
  };
  return {
    async take(events) {
      const log = await setup.log();
      await read([...new Set(events.flatMap((event) => runOf(event) ?? []))], log);
      const ids = new Set(events.map(({ id }) => id));
      for (const [id, { by, span }] of ended) {
        if (!ids.has(by)) continue;
        ended.delete(id);
        spans?.onEnd(otlpSpan(span, source));
        measures?.ended(span);
      }
      // The remaining ones belong to other processes.
      for (const id of [...ended.keys()].slice(0, -MAX_UNCLAIMED)) ended.delete(id);
      for (const event of events) measures?.count(event);
    },
    async close() {
      const last = Promise.allSettled([spans?.shutdown(), measures?.close()]);
      if (await isLate(CLOSE_LIMIT, last)) warn("the receiver did not take the rest in time");
    },
  };
}

async function isLate(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), milliseconds);
  });
  const result = await Promise.race([work.then(() => false), late]);
  clearTimeout(timer);
  return result;
}

type Warn = (line: string) => void;

function warnOnce(warn: Warn): Warn {
  let hasWarned = false;
  return (line) => {
    if (!hasWarned) warn(`OpenTelemetry: ${line}. The work continues.`);
    hasWarned = true;
  };
}

type Protocol = "http/protobuf" | "http/json";

interface Sinks {
  readonly traces: SpanExporter | null;
  readonly metrics: PushMetricExporter | null;
}

function openSinks({ environment, isEnding }: LiveOptions, warn: Warn): Sinks {
  const limit = isEnding ? EXPORT_TIMEOUT.ending : EXPORT_TIMEOUT.running;
  const options = {
    ...(environment.OTEL_EXPORTER_OTLP_TIMEOUT ? {} : { timeoutMillis: limit }),
    ...agentOptions(environment),
  };
  const protocolFor = (signal: Signal): Protocol | null => {
    const protocol = protocolOf(signal, environment);
    if (!isSent(signal, environment)) return null;
    if (protocol === "http/protobuf" || protocol === "http/json") return protocol;
    warn(`the protocol ${protocol} is not one of http/protobuf and http/json, so nothing is sent`);
    return null;
  };
  const sink = <E extends Exporter>(
    protocol: Protocol | null,
    exporters: Readonly<Record<Protocol, new (given: object) => E>>,
  ) => (protocol === null ? null : telling(new exporters[protocol](options), warn));
  const [traces, metrics] = [protocolFor("TRACES"), protocolFor("METRICS")];
  return {
    traces: sink<SpanExporter>(traces, { "http/json": JsonTraces, "http/protobuf": ProtobufTraces }),
    metrics: sink<PushMetricExporter>(metrics, {
      "http/json": JsonMetrics,
      "http/protobuf": ProtobufMetrics,
    }),
  };
}

/** Nothing where the variables name certificates: those are the exporter's own agent's. */
function agentOptions(environment: Environment): object {
  const names = Object.keys(environment).filter((name) => environment[name]);
  if (!hasProxy(environment) || names.some((name) => /^OTEL_EXPORTER_OTLP_.*(?:CERTIFICATE|KEY)$/.test(name)))
    return {};
  return { httpAgentOptions: (protocol: string) => openAgent(protocol, environment) };
}

interface Exporter {
  export(items: never, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Reports once that the receiver accepts nothing. */
function telling<E extends Exporter>(exporter: E, warn: Warn): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error) warn(`the receiver did not take it (${result.error.message.split("\n")[0]})`);
      done(result);
    });
  return exporter;
}

/** The sender: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override Pawl's own name. */
function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  const resource = resourceFromAttributes({ "service.name": "pawl", ...attributes });
  return resource.merge(detectResources({ detectors: [envDetector] }));
}
