/** A client with a window, as the tests open it: what its app calls is answered by the test, or by a real server. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import { complaintsOf, contextOf, type Look } from "../../rig/board/open-page.ts";
import type { Shown } from "./page.ts";

type Params = Readonly<Record<string, unknown>>;
export type Answer = (tool: string, given: Params) => Promise<unknown>;

export interface ClientStyle extends Look {
  readonly theme?: "light" | "dark";
  /** What it lets an app do besides calling tools. */
  readonly capabilities?: Shown["capabilities"];
  readonly context?: Shown["context"];
  readonly input?: Params;
  readonly result?: Params;
}

export interface ClientWindow extends AsyncDisposable {
  readonly page: Page;
  readonly app: Frame;
  readonly complaints: readonly string[];
  /** What the app called, in order. */
  readonly calls: readonly { readonly tool: string; readonly given: Params }[];
  /** What it told the assistant. */
  readonly told: readonly { readonly how: string; readonly text: string }[];
}

const ADDRESS = "http://client.test/";
/** What the protocol asks of a host whose app names no place outside. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

/** Where the tests' setup builds it. */
export const DOCUMENT = resolve(import.meta.dirname, "../../../dist/app/review.html");

let script: Promise<string> | undefined;

export async function openClient(
  browser: Browser,
  answer: Answer,
  look: ClientStyle = {},
  document?: string,
): Promise<ClientWindow> {
  script ??= bundled();
  const { capabilities = { serverTools: {}, message: { text: {} } }, input = {}, result = {} } = look;
  const context = await browser.newContext(contextOf(look));
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const calls: { tool: string; given: Params }[] = [];
  const told: { how: string; text: string }[] = [];
  await page.route("**/*", (route) =>
    route.request().url() === ADDRESS
      ? route.fulfill({
          contentType: "text/html",
          headers: { "content-security-policy": POLICY },
          body: PAGE,
        })
      : route.abort(),
  );
  await page.exposeFunction("outside", async (what: string, params: Params) => {
    if (what === "call") {
      const { arguments: given = {}, name } = params as { name: string; arguments?: Params };
      calls.push({ tool: name, given });
      return await answer(name, given);
    }
    if (what === "mode") return { mode: params.mode };
    const [first] = params.content as { text: string }[];
    told.push({ how: what, text: first?.text ?? "" });
    return {};
  });
  await page.goto(ADDRESS);
  await page.addScriptTag({ content: await script });
  const shown: Shown = {
    document: document ?? (await readFile(DOCUMENT, "utf8")),
    context: { theme: look.theme ?? look.scheme ?? "light", ...look.context },
    ...{ capabilities, input: { ...input }, result: { content: [], ...result } },
  };
  const show = (each: object) => (globalThis as unknown as { show(shown: object): Promise<void> }).show(each);
  await page.evaluate(show, shown as object);
  const app = page.frames().find((frame) => frame !== page.mainFrame());
  if (!app) throw new Error("The client shows no app.");
  return { page, app, complaints, calls, told, [Symbol.asyncDispose]: () => context.close() };
}

const PAGE = `<!doctype html><html lang="en"><title>A client</title>
<style>body { margin: 0 } iframe { display: block; width: 100%; height: 300px; border: 0 }</style><body></body></html>`;

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, "page.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
  });
  return outputFiles[0]?.text ?? "";
}
