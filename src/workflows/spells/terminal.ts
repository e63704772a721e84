import type { Outcome } from "../../engine/workflow.ts";

const TO_AI = "## Response to the AI";
const TO_DEVELOPER = "## Response to the Developer";

export interface ReplyParts {
  /** What the assistant must do; empty if the reply is only for the developer. */
  readonly assistant: string;
  readonly developer: string;
}

/** Splits a reply into the assistant's part and the developer's part. */
export function splitReply(text: string): ReplyParts {
  // The last one, because a quotation in the assistant's part may contain such a line, too.
  const at = text.lastIndexOf(`\n${TO_DEVELOPER}\n`);
  if (!text.startsWith(TO_AI) || at < 0) return { assistant: "", developer: text.trim() };
  return {
    assistant: text.slice(TO_AI.length, at).trim(),
    developer: text.slice(at + 1 + TO_DEVELOPER.length).trim(),
  };
}

/**
 * A reply for a person at a terminal: the developer's part first, without markup. After a move also the part
 * to pass on to the assistant, which did not see this cast.
 */
export function renderForTerminal(text: string, outcome: Outcome): string {
  const { assistant, developer } = splitReply(text);
  const told = outcome === "moved" && assistant !== "";
  const forAssistant = told
    ? `\n\nFOR YOUR ASSISTANT (it did not hear of this cast: give it these words)\n\n${assistant}`
    : "";
  return `${plain(developer)}${forAssistant}\n`;
}

function plain(markdown: string): string {
  return markdown
    .replace(/^### (.*)$/gm, (_, title: string) => title.toUpperCase())
    .replace(/^> ?/gm, "")
    .replace(/\*\*([^*\n]+)\*\*/g, "$1")
    .replace(/`([^`\n]+)`/g, "$1");
}
