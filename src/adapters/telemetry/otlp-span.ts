import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { SpanLink, TraceSpan } from "../../runtime/reports/trace.ts";

export const SCOPE = "pawl";

const INTERNAL = 0;
const ERROR = 2;
const UNSET = 0;
const SAMPLED = 1;

export interface SpanSource {
  readonly resource: Resource;
  readonly version: string;
  /** Whether to include texts of agents, people and the project. */
  readonly withWords: boolean;
}

/** An ended span in the form of OpenTelemetry's exporters. */
export function otlpSpan(span: TraceSpan, { resource, version, withWords }: SpanSource): ReadableSpan {
  const end = span.end ?? span.start;
  const { failed, id, links, parent, trace, words } = span;
  return {
    name: span.name,
    kind: INTERNAL,
    spanContext: () => contextOf({ trace, id }),
    ...(parent === null ? {} : { parentSpanContext: contextOf({ trace, id: parent }) }),
    startTime: timeOf(span.start),
    endTime: timeOf(end),
    duration: timeOf(end - span.start),
    ended: true,
    status: failed === null ? { code: UNSET } : { code: ERROR, message: failed },
    attributes: {
      ...span.attributes,
      ...(failed === null ? {} : { "error.type": failed }),
      ...(words === null || !withWords ? {} : { "pawl.words": words }),
    },
    links: links.map((link) => ({ context: contextOf(link) })),
    events: [],
    resource,
    instrumentationScope: { name: SCOPE, version },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

function contextOf({ id, trace }: SpanLink) {
  return { traceId: trace, spanId: id, traceFlags: SAMPLED };
}

/** Seconds and nanoseconds. */
function timeOf(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
