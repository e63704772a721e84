/** The client around the app: its appearance, its space, and what the app sends to it. */
import type { App, McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { applyHostStyleVariables } from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";
import type { Done } from "../../wire.ts";
import { oneLine } from "../words.tsx";

/** Whether the client can show the app larger. */
export const mayFill = signal(false);

/** The height in pixels to request from a client without a limit of its own; a longer page scrolls. */
const TALLEST = 760;

/**
 * The style variables from which the board takes its colours. A client that sets only some of them would
 * clash with the board's own.
 */
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

/** Reports the page's height to the client, up to its limit, whenever it changes. */
export function followSize(app: App, page: HTMLElement): void {
  let sentHeight = 0;
  const sendHeight = () => {
    const { containerDimensions: room } = app.getHostContext() ?? {};
    const most = (room && "maxHeight" in room && room.maxHeight) || TALLEST;
    const height = Math.min(Math.ceil(page.getBoundingClientRect().height), most);
    if (height === sentHeight) return;
    sentHeight = height;
    void app.sendSizeChanged({ height });
  };
  new ResizeObserver(sendHeight).observe(page);
  sendHeight();
}

/**
 * Notifies the assistant of the verdict so that it continues: by a message, or else in its model context.
 * This is only a notice: the verdict itself is already recorded in the run.
 */
export async function sendDecision(app: App, run: string, done: Done, approved: boolean): Promise<void> {
  const name = oneLine(run, 200);
  const text = `I ${approved ? "approved" : "rejected"} ${name} in Pawl's review: ${oneLine(done.words, 300)} The verdict is recorded, so do not pass it on. Look at the state of ${name}, and continue.`;
  const content = [{ type: "text" as const, text }];
  const { message, updateModelContext } = app.getHostCapabilities() ?? {};
  if (message) {
    const answer = await app.sendMessage({ role: "user", content }).catch(() => ({ isError: true }));
    if (!answer.isError) return;
  }
  if (updateModelContext) await app.updateModelContext({ content }).catch(() => {});
}
