import type { Outcome } from "../../engine/workflow.ts";

const TO_AI = "## Response to the AI";
const TO_DEVELOPER = "## Response to the Developer";

export interface ReplyParts {
  /** What the assistant is to do; empty where the reply is for the developer alone. */
  readonly assistant: string;
  readonly developer: string;
}

/** Takes a reply apart into what the assistant is to do and what the developer is to read. */
export function splitReply(text: string): ReplyParts {
  // The last: what the assistant's part quotes may have such a line too.
  const at = text.lastIndexOf(`\n${TO_DEVELOPER}\n`);
  if (!text.startsWith(TO_AI) || at < 0) return { assistant: "", developer: text.trim() };
  return {
    assistant: text.slice(TO_AI.length, at).trim(),
    developer: text.slice(at + 1 + TO_DEVELOPER.length).trim(),
  };
}

/**
 * A reply for a person at a terminal: the developer's part first, without markup; and after a move what the assistant,
 * which did not hear of this cast, must be told.
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
