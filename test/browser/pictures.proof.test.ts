/** The pictures of the documentation. `PAWL_PICTURES=1 npx vitest run --project proofs test/browser` takes them anew; here it is seen that they are there. */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { goTo, openPage, overflow, settled } from "../rig/board/open-page.ts";
import { BoardFixture } from "../rig/board/server.ts";
import { MAIN } from "../rig/project.ts";
import { isThere, shown } from "./host/answers.ts";
import { openClient } from "./host/open.ts";

const FOLDER = join(import.meta.dirname, "../../docs/board");
const WIDTH = 1280;
const MAX_BYTES = 160 * 1024;

const PICTURES = {
  inbox: { hash: "#/", scheme: "light", height: 520 },
  review: { hash: "#/shop/review/alfred%3ASHOP-142", scheme: "light", height: 820 },
  changes: { hash: "#/shop/review/alfred%3ASHOP-142", scheme: "dark", height: 800 },
  run: { hash: "#/shop/run/alfred%3ASHOP-142", scheme: "light", height: 760 },
  tasks: { hash: "#/shop/tasks", scheme: "dark", height: 700 },
  cost: { hash: "#/shop/cost", scheme: "light", height: 460 },
} as const;
/** In a client's window, narrower: of docs/mcp.md. */
const APP = { width: 800, height: 760 };
const EVERY = {
  ...{ inbox: "#/", review: "#/shop/review/alfred%3ASHOP-142", run: "#/shop/run/alfred%3ASHOP-142" },
  ...{
    task: "#/shop/run/bloom%3Asearch-index",
    order: "#/shop/run/review%3Aterms",
    tasks: "#/shop/tasks",
    graph: "#/shop/tasks?task=gift-cards",
    runs: "#/shop/runs",
  },
  ...{ cost: "#/shop/cost", workflows: "#/shop/workflows" },
};
const LONG = { timeout: 600_000 };
const NAMES = Object.keys(PICTURES) as (keyof typeof PICTURES)[];

it.runIf(HAS_CHROMIUM && process.env.PAWL_PICTURES === "1")("The pictures are taken anew", async () => {
  const browser = await openChromium();
  await using fixture = await BoardFixture.open({ projects: 2 });
  for (const name of NAMES) {
    const { hash, height, scheme } = PICTURES[name];
    await using opened = await openPage(browser, `${fixture.url}${hash}`, { width: WIDTH, height, scheme });
    await settled(opened.page);
    if (name === "changes") {
      await opened.page.locator('[data-place="file src/http/rate-limit.ts"] .file-name').focus();
      await opened.page
        .locator("article", { hasText: "src/http/rate-limit.ts" })
        .first()
        .scrollIntoViewIfNeeded();
      await opened.page
        .locator("article", { hasText: "src/http/rate-limit.ts" })
        .first()
        .evaluate((file) => file.scrollIntoView({ block: "start" }));
      await settled(opened.page);
    }
    await opened.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await opened.page.screenshot({ path: join(FOLDER, `${name}.png`) });
  }
  const context = { availableDisplayModes: ["inline", "fullscreen"] as never };
  await using client = await openClient(browser, shown(), { ...APP, context });
  await isThere(client.app);
  await client.page.waitForFunction(
    (all) => document.querySelector("iframe")?.clientHeight === all,
    APP.height,
  );
  await client.page.screenshot({ path: join(FOLDER, "app.png") });
  await browser.close();
});

/** Of every page, for people to look at: in `.rig/pictures`, until the next run of the tests. */
it.runIf(HAS_CHROMIUM)(
  "Every page is seen at four widths, light and dark, with much in it",
  LONG,
  async () => {
    const browser = await openChromium();
    await using fixture = await BoardFixture.open({ projects: 2 });
    const [item] = fixture.inbox.items;
    if (!item) throw new Error("Nothing waits.");
    const more = Array.from({ length: 300 }, (_, at) => ({
      ...item,
      run: `alfred:SHOP-${at}`,
      title: `${item.title} ${at}`,
    }));
    fixture.inbox = { items: [...fixture.inbox.items, ...more] };
    const folder = join(dirname(MAIN), "pictures");
    mkdirSync(folder, { recursive: true });
    for (const width of [375, 768, 1440, 1920])
      for (const scheme of ["light", "dark"] as const) {
        await using opened = await openPage(browser, fixture.url, { width, scheme });
        for (const [name, hash] of Object.entries(EVERY)) {
          await goTo(opened.page, hash);
          if (name === "graph") await opened.page.getByRole("button", { name: "Graph" }).click();
          await settled(opened.page);
          expect(await overflow(opened.page)).toBe(0);
          await opened.page.screenshot({
            path: join(folder, `${name}-${width}-${scheme}.png`),
            fullPage: name !== "inbox",
          });
        }
      }
    await browser.close();
  },
);

it.each([
  ...NAMES.map((name) => [name, "board.md", WIDTH] as const),
  ["app", "internals/mcp.md", APP.width] as const,
])("The picture of %s is in the documentation, and small", (name, document, width) => {
  const path = join(FOLDER, `${name}.png`);
  expect(existsSync(path)).toBe(true);
  expect(statSync(path).size).toBeLessThan(MAX_BYTES);
  expect(readFileSync(path).readUInt32BE(16)).toBe(width);
  expect(readFileSync(join(FOLDER, "..", document), "utf8")).toContain(`board/${name}.png)`);
});
