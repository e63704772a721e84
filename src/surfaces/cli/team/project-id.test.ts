import { expect, it } from "vitest";
import { parse } from "yaml";
import { promise } from "../../../../test/rig/promise.ts";
import { withProjectId } from "./project-id.ts";

const TEXTS = [
  "",
  "# mine\n",
  "# mine",
  "\uFEFF# mine\r\na: 1\r\n",
  "%YAML 1.2\n---\n# mine\na: 1\n...\n",
  "a: 1\n",
  "---\na: 1\n",
  "\n# mine\n\na:\n  b: 1\n",
  "{}",
  '{"a": 1}\n',
  "# x\n{ a: 1 }\n",
];

it.each(TEXTS)("the id of a project is added to %j, whose other values stay", (text) => {
  promise("gates.keys");
  const before = (parse(text) ?? {}) as object;
  expect(parse(withProjectId(text, "ab".repeat(16)))).toEqual({ project_id: "ab".repeat(16), ...before });
});
