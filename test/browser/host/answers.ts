/** The review of the board's own tests, as a server would hand it to the app in a client. */
import type { Frame } from "playwright-core";
import { diffOf } from "../../rig/board/diffs.ts";
import { REVIEW } from "../../rig/board/review.ts";
import type { Answer } from "./open.ts";

const NONCE = "pawl/nonce";

/** `change`: what is different about it. */
export const shown = (change: <T>(value: T) => T = (value) => value): Answer =>
  async function answer(_tool, { path }) {
    const diff = path === undefined ? undefined : diffOf(String(path));
    const page = { review: REVIEW, strayed: null };
    const data = diff === undefined ? { page: change(page) } : { diff };
    return { content: [], structuredContent: data, _meta: { [NONCE]: "once" } };
  };

export async function isThere(app: Frame): Promise<void> {
  await app.locator("#verdict").waitFor();
  await app.waitForFunction(() => document.querySelector(".skeleton") === null);
}
