import { PawlError } from "./error.ts";

/** Ids of tasks, subtasks and steps: each is also valid as one path segment and as part of a git ref. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_ID_LENGTH = 100;

export function isId(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text.length <= MAX_ID_LENGTH &&
    ID.test(text) &&
    !text.includes("..") &&
    !text.endsWith(".lock") &&
    !text.endsWith(".")
  );
}

/** Throws `id-invalid` unless the text is an id; `what` names the thing in the message ("task id"). */
export function checkId(text: unknown, what: string): string {
  if (isId(text)) return text;
  const found = typeof text === "string" ? JSON.stringify(text.slice(0, MAX_ID_LENGTH + 20)) : typeof text;
  throw new PawlError(
    "id-invalid",
    `The ${what} is not valid: expected 1 to ${MAX_ID_LENGTH} characters of A-Z a-z 0-9 . _ -, beginning with a letter or digit, without "..", not ending in "." or ".lock"; found ${found}.`,
    "Use an id such as TS-01.",
  );
}

/** Makes ids that are not taken, and takes them: `x`, else `x-2`. */
export function openIds(taken: Set<string>): (wanted: string) => string {
  const next = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    for (let count = next.get(wanted) ?? 2; taken.has(id); count++) {
      id = `${wanted.slice(0, MAX_ID_LENGTH - 10)}-${count}`;
      next.set(wanted, count + 1);
    }
    taken.add(id);
    return id;
  };
}

/** Whether the text is the whole id of a git object, by SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** Why git would refuse the text as a branch's name (`git check-ref-format --branch`); null: it would not. */
export function branchFault(name: string): string | null {
  if (name === "" || name === "@" || name === "HEAD") return "it is reserved or empty";
  if (name.startsWith("-")) return "it begins with -";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return "it has a space or one of ~ ^ : ? * [ \\";
  if (name.includes("..") || name.includes("@{")) return "it has .. or @{";
  if (name.endsWith(".")) return "it ends with a dot";
  for (const part of name.split("/")) {
    if (part === "") return "it begins or ends with /, or has //";
    if (part.startsWith(".") || part.endsWith(".lock")) return "a part begins with a dot, or ends with .lock";
    if (new TextEncoder().encode(part).length > 200) return "a part is longer than 200 bytes";
  }
  return null;
}
