/**
 * The scenarios that no product can pass: they call what only a server made for them has. `said`: what each failed check
 * of theirs must say; a check that fails in another way fails the run.
 */
export interface NotApplicable {
  readonly why: string;
  readonly said: RegExp;
  readonly scenarios: readonly string[];
}

export const NOT_APPLICABLE: readonly NotApplicable[] = [
  {
    why: "calls a tool of the suite's own server (test_…), to see a kind of content, a notification or an error in its answer",
    said: /Tool '?(test_\w+|json_schema_2020_12_tool)'? not found|Not testable: server does not list the diagnostic tool/,
    scenarios: [
      "tools-call-simple-text",
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-with-logging",
      "tools-call-error",
      "tools-call-with-progress",
      "json-schema-2020-12",
      "server-stateless",
    ],
  },
  {
    why: "calls a tool of the suite's own server that asks the client for something; Pawl asks in its own tools",
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
    why: "gets a prompt of the suite's own server",
    said: /Prompt test_\w+ not found/,
    scenarios: [
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-embedded-resource",
      "prompts-get-with-image",
    ],
  },
  {
    why: "reads a resource of the suite's own server (test://…)",
    said: /Resource not found: test:/,
    scenarios: ["resources-read-text", "resources-read-binary", "resources-templates-read"],
  },
  {
    why: "asks for what is optional and not declared: completion, and subscription to a resource",
    said: /Method not found/,
    scenarios: ["completion-complete", "resources-subscribe", "resources-unsubscribe"],
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
