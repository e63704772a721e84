import { expect, it } from "vitest";
import { digestOf } from "../../core/hash.ts";
import { configText, earlierConfigText } from "./initialize-project.ts";
import { OWNED } from "./owned.ts";
import { CONFIG } from "./paths.ts";

it("knows the configuration that it writes, and the one that an earlier version wrote, but none that was edited", () => {
  const isOwn = (text: string) => OWNED.written[CONFIG]?.(text);
  const earlier = earlierConfigText("jira");
  expect(digestOf(earlier)).toBe("952223bb38b88169c139c96a6976125cf59e7209605828fdab8cc5fdeeef199c");
  expect([configText("github"), configText("jira"), earlier].map(isOwn)).toEqual([true, true, true]);
  expect(isOwn(`${configText("jira")}reviews: {}\n`)).toBe(false);
});
