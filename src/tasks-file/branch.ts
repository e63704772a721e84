/** Why git would not take the text as a branch's name (`git check-ref-format`), or why it needs quoting; else null. */
export function branchFault(name: string): string | null {
  if (name === "" || name === "@" || name === "HEAD") return "it is reserved or empty";
  if (name.startsWith("-")) return "it begins with -";
  if (!/^[A-Za-z0-9._/+=@#%-]+$/.test(name)) return "expected only A-Z a-z 0-9 . _ / + = @ # % -";
  if (name.includes("..") || name.includes("@{")) return "it has .. or @{";
  for (const part of name.split("/")) {
    if (part === "") return "it begins or ends with /, or has //";
    if (part.startsWith(".") || part.endsWith(".") || part.endsWith(".lock"))
      return "a part begins with a dot, or ends with a dot or .lock";
  }
  return name.length > 200 ? "it is longer than 200 characters" : null;
}
