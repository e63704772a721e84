/**
 * An incoming webhook of Slack. Texts are `plain_text`, which Slack shows unchanged: no mention, no link, no
 * formatting. In the line for the notification `&`, `<` and `>` are escaped, so that `<!channel>` is no
 * mention.
 */
import type { Notice } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import type { Environment } from "../process/environment.ts";
import { openChat } from "./post.ts";
import { withoutMentions } from "./without-mentions.ts";

export const openSlack = (settings: { readonly url_env: string }, environment: Environment): Receiver =>
  openChat("slack", settings, environment, messageOf);

function messageOf({ board, command, quote, text, title }: Notice) {
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

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
