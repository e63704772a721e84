/**
 * A webhook of Discord. `allowed_mentions` disables mentions, whatever the text says; characters that Discord
 * would format, or show as a link of another name, are escaped.
 */
import type { Notice } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import type { Environment } from "../process/environment.ts";
import { openChat } from "./post.ts";
import { withoutMentions } from "./without-mentions.ts";

export const openDiscord = (settings: { readonly url_env: string }, environment: Environment): Receiver =>
  openChat("discord", settings, environment, messageOf);

/** Discord takes 2000 characters. */
const MOST = 1900;
/** Links are not previewed. */
const SUPPRESS_EMBEDS = 4;

function messageOf({ board, command, quote, text, title }: Notice) {
  const lines = [
    `**${plain(title)}**`,
    plain(text),
    ...(quote === null ? [] : [`“${plain(quote)}”`]),
    ...(command === null ? [] : [plain(command)]),
    ...(board === null ? [] : [`<${board}>`]),
  ];
  const content = lines.join("\n").slice(0, MOST);
  return { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS };
}

/** Puts a backslash before each character with a meaning to Discord. */
function plain(text: string): string {
  return withoutMentions(text).replace(/[\\*_~`|>[\]()#<:-]/g, "\\$&");
}
