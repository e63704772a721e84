import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";

/** The sender: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override Pawl's own name. */
export function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  const own = resourceFromAttributes({ "service.name": "pawl", ...attributes });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
