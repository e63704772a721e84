import type { Resource } from "@opentelemetry/resources";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { PawlEvent } from "../../core/event.ts";
import type { TraceSpan } from "../../runtime/reports/trace.ts";
import { SCOPE } from "./otlp-span.ts";

/** Counts each ended span, and each committed event. */
export interface Measures {
  ended(span: TraceSpan): void;
  count(event: PawlEvent): void;
  close(): Promise<void>;
}

/** Bounds of the histograms, in seconds: from a quick check to a gate over a weekend. */
const SECONDS = [1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 3 * 24 * 3600];
/** As the semantic conventions recommend. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

const NAMES = [
  ...["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.agent.name"],
  ...["gen_ai.request.model", "gen_ai.response.model"],
];

const USED = { input: "gen_ai.usage.input_tokens", output: "gen_ai.usage.output_tokens" };

export function openMeasures(exporter: PushMetricExporter, resource: Resource, version: string): Measures {
  const provider = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter })],
  });
  const meter = provider.getMeter(SCOPE, version);
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const seconds = (name: string) =>
    meter.createHistogram(name, { unit: "s", advice: { explicitBucketBoundaries: SECONDS } });
  const duration = seconds("gen_ai.client.operation.duration");
  const waits = seconds("pawl.gate.wait");
  const cost = meter.createCounter("pawl.agent.cost", { unit: "USD" });
  const retries = meter.createCounter("pawl.task.retries", { unit: "{retry}" });
  const finished = meter.createCounter("pawl.runs.finished", { unit: "{run}" });
  const ofAgent = ({ attributes, failed }: TraceSpan, lasted: number) => {
    const names = pick(attributes, NAMES);
    const why = failed === null ? names : { ...names, "error.type": failed };
    duration.record(lasted, { ...why, ...pick(attributes, ["pawl.agent.purpose"]) });
    for (const [type, name] of Object.entries(USED)) {
      const used = attributes[name];
      if (typeof used === "number") tokens.record(used, { ...names, "gen_ai.token.type": type });
    }
    const usd = attributes["pawl.cost.usd"];
    if (typeof usd === "number") cost.add(usd, names);
  };
  return {
    ended(span) {
      const lasted = ((span.end ?? span.start) - span.start) / 1000;
      if (span.kind === "agent") ofAgent(span, lasted);
      if (span.kind === "wait") waits.record(lasted, pick(span.attributes, ["pawl.gate", "pawl.verdict"]));
      if (span.kind === "run") finished.add(1, pick(span.attributes, ["pawl.workflow", "pawl.state"]));
    },
    count({ type }) {
      if (type === "task:retried") retries.add(1);
    },
    close: () => provider.shutdown(),
  };
}

function pick(attributes: TraceSpan["attributes"], names: readonly string[]) {
  return Object.fromEntries(names.flatMap((name) => (name in attributes ? [[name, attributes[name]]] : [])));
}
