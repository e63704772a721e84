/**
 * The incoming webhooks of chats: the text of a notice mentions no user, has no links and is not formatted there.
 */
import type { Notice } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import type { Environment } from "../process/environment.ts";
import { post } from "./post.ts";

export const openSlack = (settings: ChatSettings, environment: Environment): Receiver =>
  openChat("slack", settings, environment, slackMessage);

export const openDiscord = (settings: ChatSettings, environment: Environment): Receiver =>
  openChat("discord", settings, environment, discordMessage);

interface ChatSettings {
  readonly url_env: string;
}

function openChat(
  receiver: "discord" | "slack",
  { url_env }: ChatSettings,
  environment: Environment,
  messageOf: (notice: Notice) => object,
): Receiver {
  return {
    name: receiver,
    send: (notice) =>
      post({ receiver, variable: url_env, environment, body: JSON.stringify(messageOf(notice)) }),
  };
}

/**
 * Texts are `plain_text`, which Slack shows unchanged. In the line for the notification `&`, `<` and `>` are
 * escaped, so that `<!channel>` is no mention.
 */
function slackMessage({ board, command, quote, text, title }: Notice) {
  const plain = (words: string) => ({ type: "plain_text", text: withoutMentions(words), emoji: false });
  const section = (words: string) => ({ type: "section", text: plain(words) });
  return {
    text: escaped(withoutMentions(title)),
    link_names: false,
    parse: "none",
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: plain(title) },
      section(text),
      ...(quote === null ? [] : [section(`“${quote}”`)]),
      ...(command === null ? [] : [section(command)]),
      // `mrkdwn` for Pawl's own address: plain text would show no link.
      ...(board === null
        ? []
        : [{ type: "section", text: { type: "mrkdwn", text: `<${board}|Open the board>` } }]),
    ],
  };
}

/** As HTML and Slack show it. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Discord takes 2000 characters. */
const MAX_DISCORD_CHARACTERS = 1900;
/** Links are not previewed. */
const SUPPRESS_EMBEDS = 4;

/**
 * `allowed_mentions` disables mentions, whatever the text says; characters that Discord would format, or show as
 * a link of another name, are escaped.
 */
function discordMessage({ board, command, quote, text, title }: Notice) {
  const lines = [
    `**${discordText(title)}**`,
    discordText(text),
    ...(quote === null ? [] : [`“${discordText(quote)}”`]),
    ...(command === null ? [] : [discordText(command)]),
    ...(board === null ? [] : [`<${board}>`]),
  ];
  const content = lines.join("\n").slice(0, MAX_DISCORD_CHARACTERS);
  return { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS };
}

/** Puts a backslash before each character with a meaning to Discord. */
function discordText(text: string): string {
  return withoutMentions(text).replace(/[\\*_~`|>[\]()#<:-]/g, "\\$&");
}

/**
 * Puts a character of no width after each `@`: it reads the same, but no chat finds `@here`, `@everyone` or a
 * name.
 */
function withoutMentions(text: string): string {
  return text.replaceAll("@", "@\u200b");
}
