/** The standard variables of OpenTelemetry that Pawl reads itself; the SDK reads the others. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type Signal = "TRACES" | "METRICS";

/** Whether any receiver is set. */
export function isTelemetryOn(environment: Environment): boolean {
  return isSent("TRACES", environment) || isSent("METRICS", environment);
}

export function isSent(signal: Signal, environment: Environment): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_SDK_DISABLED: disabled } = environment;
  const endpoint = environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || all;
  return (
    Boolean(endpoint) &&
    disabled?.toLowerCase() !== "true" &&
    environment[`OTEL_${signal}_EXPORTER`] !== "none"
  );
}

/** Default: `http/protobuf`. */
export function protocolOf(signal: Signal, environment: Environment): string {
  const named =
    environment[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  return named || "http/protobuf";
}

/** Whether to send texts of agents, people and the project: only on request. */
export function sendsWords({
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: capture,
}: Environment): boolean {
  return capture?.toLowerCase() === "true";
}
