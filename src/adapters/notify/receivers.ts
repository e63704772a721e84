/** The receivers that settings name. Each is loaded on first use. */
import type { ReceiverName } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import type { NotifySettings } from "../../core/settings.ts";
import type { Environment } from "../process/environment.ts";

export interface ReceiverContext {
  readonly environment: Environment;
  /** The project's root. */
  readonly root: string;
}

/** Null: the settings do not have it. */
export async function openReceiver(
  name: ReceiverName,
  notify: Pick<NotifySettings, ReceiverName>,
  { environment, root }: ReceiverContext,
): Promise<Receiver | null> {
  const { command, desktop, discord, slack, webhook } = notify;
  switch (name) {
    case "desktop":
      return desktop ? (await import("./desktop.ts")).openDesktop(environment, root) : null;
    case "webhook":
      return webhook && (await import("./webhook.ts")).openWebhook(webhook, environment);
    case "slack":
      return slack && (await import("./chats.ts")).openSlack(slack, environment);
    case "discord":
      return discord && (await import("./chats.ts")).openDiscord(discord, environment);
    case "command":
      return command.length > 0
        ? (await import("./command.ts")).openCommand(command, environment, root)
        : null;
  }
}
