/** The text of a pawl.yaml that has no `project_id` with one, behind its first comment. */
export function withProjectId(text: string, id: string): string {
  return withSetting(text, "project_id", id);
}

/** The same for any setting that it does not have. */
export function withSetting(text: string, key: string, value: string | boolean): string {
  const head = /^(?:\uFEFF|%[^\n]*\n|---[^\n]*\n|[ \t]*#[^\n]*\n|[ \t\r]*\n)*/.exec(text)?.[0] ?? "";
  const rest = text.slice(head.length);
  if (!rest.startsWith("{")) return `${head}${key}: ${value}\n${rest}`;
  const isEmpty = /^\{\s*\}/.test(rest);
  return `${head}{ "${key}": ${JSON.stringify(value)}${isEmpty ? " " : ", "}${rest.slice(1).trimStart()}`;
}
