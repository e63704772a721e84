/** The pictures of the documentation. `PAWL_PICTURES=1 npx vitest run --project proofs test/browser` takes them anew; here it is seen that they are there. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { openPage, settled } from "../rig/board/open-page.ts";
import { BoardFixture } from "../rig/board/server.ts";
import { isThere, shown } from "./host/answers.ts";
import { openClient } from "./host/open.ts";

const FOLDER = join(import.meta.dirname, "../../docs/board");
const WIDTH = 1280;
const MOST_BYTES = 160 * 1024;

const PICTURES = {
  inbox: { hash: "#/", scheme: "light", height: 520 },
  review: { hash: "#/shop/review/alfred%3ASHOP-142", scheme: "light", height: 900 },
  changes: { hash: "#/shop/review/alfred%3ASHOP-142", scheme: "dark", height: 800 },
  run: { hash: "#/shop/run/alfred%3ASHOP-142", scheme: "light", height: 760 },
  tasks: { hash: "#/shop/tasks", scheme: "dark", height: 700 },
  cost: { hash: "#/shop/cost", scheme: "light", height: 460 },
} as const;
/** In a client's window, narrower: of docs/mcp.md. */
const APP = { width: 800, height: 760 };
const NAMES = Object.keys(PICTURES) as (keyof typeof PICTURES)[];

it.runIf(HAS_CHROMIUM && process.env.PAWL_PICTURES === "1")("The pictures are taken anew", async () => {
  const browser = await openChromium();
  await using fixture = await BoardFixture.open({ projects: 2 });
  for (const name of NAMES) {
    const { hash, height, scheme } = PICTURES[name];
    await using opened = await openPage(browser, `${fixture.url}${hash}`, { width: WIDTH, height, scheme });
    await settled(opened.page);
    if (name === "changes") {
      await opened.page.getByRole("button", { name: "src/http/rate-limit.ts", exact: true }).focus();
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

it.each([...NAMES.map((name) => [name, "board.md", WIDTH] as const), ["app", "mcp.md", APP.width] as const])(
  "The picture of %s is in the documentation, and small",
  (name, document, width) => {
    const path = join(FOLDER, `${name}.png`);
    expect(existsSync(path)).toBe(true);
    expect(statSync(path).size).toBeLessThan(MOST_BYTES);
    expect(readFileSync(path).readUInt32BE(16)).toBe(width);
    expect(readFileSync(join(FOLDER, "..", document), "utf8")).toContain(`](board/${name}.png)`);
  },
);
