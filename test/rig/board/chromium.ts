/** Debian's Chromium, as a person's browser: its own user data, nothing in the background. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PROGRAM = "/usr/bin/chromium";

export const HAS_CHROMIUM = existsSync(PROGRAM);

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function openChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: PROGRAM, args: QUIET });
}
