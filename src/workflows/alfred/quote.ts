/** Every line marked as quoted, so that none can pass for a line of the prompt. */
export function quote(value: unknown): string {
  const lines = String(value).split(/\r\n|\r|\n/);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}
