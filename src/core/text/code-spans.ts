/** The parts of a text between single backticks, as Markdown has them, for surfaces that show code as code. */
export function codeSpans(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  return text
    .split(/(?<!`)`([^`\n]{1,200})`(?!`)/)
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter((part) => part.text !== "");
}
