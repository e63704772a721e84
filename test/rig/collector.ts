/** A receiver of OTLP over HTTP on loopback, shaped as a collector: it decodes what comes, in JSON and in protobuf. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly lasted: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly resourceSpans?: readonly Resource[];
  readonly resourceMetrics?: readonly Resource[];
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans?: readonly { readonly spans: readonly JsonSpan[] }[];
  readonly scopeMetrics?: readonly { readonly metrics: readonly Metric[] }[];
}

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly key: string;
  readonly value: object;
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

interface Point {
  readonly asDouble?: number;
  readonly asInt?: number | string;
  readonly sum?: number;
}

export class Collector implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Server;

  /** `silent`: takes requests and never answers. */
  static async open({ silent = false } = {}): Promise<Collector> {
    const collector = new Collector(silent);
    await new Promise<void>((resolve) => collector.#server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  private constructor(silent: boolean) {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      this.received.push({ path: request.url ?? "", headers: request.headers, body });
      if (!silent) response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  at(path: string): readonly Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Every span, in the order received. */
  get spans(): readonly ReceivedSpan[] {
    return this.at("/v1/traces").flatMap(({ body, headers }) =>
      headers["content-type"] === "application/json" ? jsonSpans(body.toString()) : protobufSpans(body),
    );
  }

  /** The attributes of the resources that sent something, in JSON. */
  get resources(): readonly Readonly<Record<string, unknown>>[] {
    return this.received.flatMap(({ body }) => {
      const { resourceMetrics = [], resourceSpans = [] } = JSON.parse(body.toString()) as Sent;
      return [...resourceSpans, ...resourceMetrics].map(({ resource }) => attributesIn(resource.attributes));
    });
  }

  /** The sums of a metric in JSON, over everything received: a process reports from its beginning, once, at its end. */
  sum(name: string): number {
    const metrics = this.at("/v1/metrics").flatMap(({ body }) =>
      ((JSON.parse(body.toString()) as Sent).resourceMetrics ?? []).flatMap(({ scopeMetrics = [] }) =>
        scopeMetrics.flatMap((scope) => scope.metrics),
      ),
    );
    const points = metrics
      .filter((metric) => metric.name === name)
      .flatMap((metric) => [...(metric.sum?.dataPoints ?? []), ...(metric.histogram?.dataPoints ?? [])]);
    return points.reduce((all, point) => all + Number(point.asDouble ?? point.asInt ?? point.sum ?? 0), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function jsonSpans(text: string): readonly ReceivedSpan[] {
  return ((JSON.parse(text) as Sent).resourceSpans ?? []).flatMap(({ scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...{
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? "",
          name: span.name,
        },
        lasted: (Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano)) / 1e9,
        attributes: attributesIn(span.attributes),
      })),
    ),
  );
}

function attributesIn(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto. */
function protobufSpans(body: Buffer): readonly ReceivedSpan[] {
  const bytes = (message: Buffer, field: number) =>
    fieldsIn(message).flatMap(([number, value]) =>
      number === field && Buffer.isBuffer(value) ? [value] : [],
    );
  return bytes(body, 1)
    .flatMap((resource) => bytes(resource, 2))
    .flatMap((scope) => bytes(scope, 2))
    .map((span) => {
      const one = (field: number) => bytes(span, field)[0] ?? Buffer.alloc(0);
      const time = (field: number) => Number(fieldsIn(span).find(([number]) => number === field)?.[1] ?? 0);
      return {
        ...{
          traceId: one(1).toString("hex"),
          spanId: one(2).toString("hex"),
          parentSpanId: one(4).toString("hex"),
        },
        ...{ name: one(5).toString(), lasted: (time(8) - time(7)) / 1e9, attributes: {} },
      };
    });
}

/** A message of the protobuf wire format, by field number. */
function fieldsIn(message: Buffer): readonly (readonly [number, Buffer | bigint])[] {
  const fields: (readonly [number, Buffer | bigint])[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = tag >> 3;
    if ((tag & 7) === 0) fields.push([field, varint()]);
    else {
      const length = (tag & 7) === 1 ? 8 : (tag & 7) === 5 ? 4 : Number(varint());
      const bytes = message.subarray(at, at + length);
      fields.push([field, (tag & 7) === 1 ? bytes.readBigUInt64LE() : bytes]);
      at += length;
    }
  }
  return fields;
}
