import { expect, it } from "vitest";
import { configText } from "./initialize-project.ts";
import { OWNED } from "./owned.ts";
import { CONFIG } from "./paths.ts";

it("knows the configuration that it writes, and none that was edited", () => {
  const isOwn = (text: string) => OWNED.written[CONFIG]?.(text);
  expect([configText("github"), configText("jira")].map(isOwn)).toEqual([true, true]);
  expect(isOwn(`${configText("jira")}reviews: {}\n`)).toBe(false);
});
