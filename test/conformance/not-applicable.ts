/**
 * The scenarios that do not apply: they ask for what Pawl's surface does not have. What it has and only the suite's own
 * server declares is served by `fixture.ts`. `said`: what each failed check of theirs must say; a check that fails in
 * another way fails the run.
 */
export interface NotApplicable {
  readonly why: string;
  readonly said: RegExp;
  readonly scenarios: readonly string[];
}

export const NOT_APPLICABLE: readonly NotApplicable[] = [
  {
    why: "calls a tool that answers in images, audio or resources, or in several messages; Pawl's tools answer in one text with structured content, and log one message a call",
    said: /Tool '?test_\w+'? not found/,
    scenarios: [
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-with-logging",
      "tools-call-with-progress",
    ],
  },
  {
    why: "calls a tool that is declared by a JSON schema with $defs and $ref; those of Pawl's tools have none",
    said: /Tool '?json_schema_2020_12_tool'? not found/,
    scenarios: ["json-schema-2020-12"],
  },
  {
    why: "looks into a server without sessions by diagnostic tools of the suite's own server; what needs none passes",
    said: /Not testable: server does not list the diagnostic tool/,
    scenarios: ["server-stateless"],
  },
  {
    why: "has a tool ask the client for a form, a sample or its roots; Pawl's tools ask a yes or no of a person, each in its own words",
    said: /(Tool|Prompt) test_\w+ not found|Expected InputRequiredResult|Prerequisite failed/,
    scenarios: [
      "tools-call-sampling",
      "tools-call-elicitation",
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "input-required-result-basic-elicitation",
      "input-required-result-basic-sampling",
      "input-required-result-basic-list-roots",
      "input-required-result-request-state",
      "input-required-result-multiple-input-requests",
      "input-required-result-multi-round",
      "input-required-result-non-tool-request",
      "input-required-result-result-type",
      "input-required-result-tampered-state",
      "input-required-result-capability-check",
    ],
  },
  {
    why: "gets a prompt with a resource or an image in it; Pawl's prompts are one text",
    said: /Prompt test_\w+ not found/,
    scenarios: ["prompts-get-embedded-resource", "prompts-get-with-image"],
  },
  {
    why: "reads a resource of bytes, or one that a template names; Pawl's resources are texts at addresses that are listed",
    said: /Resource not found: test:/,
    scenarios: ["resources-read-binary", "resources-templates-read"],
  },
  {
    why: "needs a tool that takes an argument from an HTTP header (x-mcp-header); none of Pawl's does",
    said: /no tool with x-mcp-header/,
    scenarios: ["http-custom-header-server-validation"],
  },
  {
    why: "is of the tasks extension, which is optional and not declared",
    said: /./,
    scenarios: [
      "tasks-lifecycle",
      "tasks-capability-negotiation",
      "tasks-wire-fields",
      "tasks-request-state-removal",
      "tasks-mrtr-input",
      "tasks-request-headers",
      "tasks-dispatch-and-envelope",
      "tasks-required-task-error",
      "tasks-mrtr-composition",
    ],
  },
];
