/** The client around the app: how it looks, how much room it gives, and what it is told. */
import type { App, McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { applyHostStyleVariables } from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";
import type { Done } from "../../wire.ts";
import { oneLine } from "../words.tsx";

/** Whether there is more room to be had. */
export const mayFill = signal(false);

/** Pixels of the page that a client without a limit of its own is asked for: what is longer scrolls in itself. */
const TALLEST = 760;

/** What the board's colours are taken from; a client that names only some of them would not fit ours. */
const WORN = [
  "--color-background-primary",
  "--color-background-secondary",
  "--color-background-tertiary",
  "--color-text-primary",
  "--color-text-secondary",
  "--color-border-primary",
] as const;

export function wearHost({ displayMode, availableDisplayModes = [], styles, theme }: McpUiHostContext): void {
  const { documentElement: root } = document;
  if (theme) root.dataset.theme = theme;
  const { variables } = styles ?? {};
  if (variables) {
    applyHostStyleVariables(variables);
    root.classList.toggle(
      "hosted",
      WORN.every((name) => variables[name]),
    );
  }
  mayFill.value = availableDisplayModes.includes("fullscreen") && displayMode !== "fullscreen";
}

/** Tells the client how tall the page is, up to its limit, whenever that changes. */
export function followSize(app: App, page: HTMLElement): void {
  let told = 0;
  const tell = () => {
    const { containerDimensions: room } = app.getHostContext() ?? {};
    const most = (room && "maxHeight" in room && room.maxHeight) || TALLEST;
    const height = Math.min(Math.ceil(page.getBoundingClientRect().height), most);
    if (height === told) return;
    told = height;
    void app.sendSizeChanged({ height });
  };
  new ResizeObserver(tell).observe(page);
  tell();
}

/**
 * Tells the assistant that the verdict is there, so that it goes on: as a message, or else in what it reads next. The verdict
 * itself is in the run already, and is taken from nowhere else.
 */
export async function sendDecision(app: App, run: string, done: Done, approved: boolean): Promise<void> {
  const name = oneLine(run, 200);
  const text = `I ${approved ? "approved" : "rejected"} ${name} in Pawl's review: ${oneLine(done.words, 300)} The verdict is recorded, so do not pass it on. See where ${name} stands, and go on.`;
  const content = [{ type: "text" as const, text }];
  const { message, updateModelContext } = app.getHostCapabilities() ?? {};
  if (message) {
    const answer = await app.sendMessage({ role: "user", content }).catch(() => ({ isError: true }));
    if (!answer.isError) return;
  }
  if (updateModelContext) await app.updateModelContext({ content }).catch(() => {});
}
