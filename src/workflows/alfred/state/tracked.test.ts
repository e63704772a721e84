import { expect, test } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { taskFrom } from "./tracked.ts";

test("the headings of an issue's text move down, and what stands in a code fence stays letter by letter", () => {
  promise("fetch.texts");
  const tracked = { id: "WEB-1", title: "T", status: "To Do", isDone: false, priority: null };
  const description = "# Goal\n\n````sh\n# install\n```\n## not an end\n````\n\n## Next\n\n~~~\n# in it\n~~~";
  const { context } = taskFrom({ ...tracked, description, dependencies: [], url: "" });
  expect(context).toBe(
    "### Goal\n\n````sh\n# install\n```\n## not an end\n````\n\n### Next\n\n~~~\n# in it\n~~~",
  );
});
