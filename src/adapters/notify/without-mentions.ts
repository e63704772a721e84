/** The same to read, and no `@here`, `@everyone` or name to any chat: a character of no width follows each `@`. */
export function withoutMentions(text: string): string {
  return text.replaceAll("@", "@\u200b");
}
