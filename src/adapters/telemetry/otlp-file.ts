/** `pawl trace --otlp FILE`: the spans as a tracing tool takes them from a file. */
import { writeFileSync } from "node:fs";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { PawlError } from "../../core/error.ts";
import type { TraceSpan } from "../../runtime/trace.ts";
import { otlpSpan } from "./otlp-span.ts";
import { resourceOf } from "./resource.ts";
import { type Environment, sendsWords } from "./variables.ts";

/** Writes a new file and returns how many spans are in it. Throws `usage`. */
export function writeOtlpFile(
  spans: readonly TraceSpan[],
  file: string,
  {
    environment,
    now,
    version,
  }: { readonly environment: Environment; readonly now: Date; readonly version: string },
): number {
  const source = {
    resource: resourceOf({ "service.version": version }),
    version,
    withWords: sendsWords(environment),
  };
  const bytes = JsonTraceSerializer.serializeRequest(
    spans.map((span) => otlpSpan(span, source, now.getTime())),
  );
  try {
    writeFileSync(file, bytes ?? "", { flag: "wx" });
  } catch (cause) {
    throw new PawlError(
      "usage",
      `${file} cannot be written: ${(cause as Error).message}.`,
      "Name a new file in a folder that is there.",
    );
  }
  return spans.length;
}
