import { expect, it } from "vitest";
import { FILES } from "./files.ts";
import { CONFIG } from "./state/paths.ts";
import { configText } from "./tools/initialize-project.ts";

it("knows the configuration that it writes, and none that was edited", () => {
  const isOwn = (text: string) => FILES.written[CONFIG]?.(text);
  expect([configText("github"), configText("jira")].map(isOwn)).toEqual([true, true]);
  expect(isOwn(`${configText("jira")}reviews: {}\n`)).toBe(false);
});
