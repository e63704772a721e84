/** The text of a pawl.yaml that has no `project_id` with one, behind its first comment. */
export function withProjectId(text: string, id: string): string {
  const head = /^(?:\uFEFF|%[^\n]*\n|---[^\n]*\n|[ \t]*#[^\n]*\n|[ \t\r]*\n)*/.exec(text)?.[0] ?? "";
  const rest = text.slice(head.length);
  if (!rest.startsWith("{")) return `${head}project_id: ${id}\n${rest}`;
  const isEmpty = /^\{\s*\}/.test(rest);
  return `${head}{ "project_id": "${id}"${isEmpty ? " " : ", "}${rest.slice(1).trimStart()}`;
}
