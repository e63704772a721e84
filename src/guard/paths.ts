/** Absolute paths, as texts. Forward slashes; a drive letter counts as a root, too. */

/** No system opens a longer path. */
export const MAX_PATH = 4096;

/** Every place that the path may mean: as written, and as the system follows it, link by link. */
export function placesOf(
  path: string,
  cwd: string,
  home: string,
  real: (path: string) => string,
): readonly string[] {
  const found = [path, ...decoded(path)].flatMap((each) => {
    const whole = absolute(each, cwd, home);
    const plain = normal(whole);
    return [plain, normal(real(plain)), normal(real(whole))];
  });
  return [...new Set(found)];
}

/** A file URL may have percent-encoded characters. */
function decoded(path: string): readonly string[] {
  if (!/^file:.*%/i.test(path)) return [];
  try {
    return [decodeURIComponent(path.replace(/[?#].*$/, ""))];
  } catch {
    return [];
  }
}

function absolute(path: string, cwd: string, home: string): string {
  const local = path.replace(/^file:(?:\/\/(?:localhost)?)?(?=\/)/i, "");
  const [named, user] = /^(?:~([^/]*)|\$HOME|\$\{HOME\})(?=\/|$)/.exec(local) ?? [];
  if (named !== undefined && (!user || home.endsWith(`/${user}`)))
    return `${home}${local.slice(named.length)}`;
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(local)) return local;
  return `${cwd}/${local}`;
}

function normal(path: string): string {
  const [, root = "/", rest = ""] = /^([A-Za-z]:[/\\]|[/\\]|)([\s\S]*)$/.exec(path) ?? [];
  const names: string[] = [];
  for (const name of rest.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") names.pop();
    else names.push(name);
  }
  return `${root === "" ? "/" : root}${names.join("/")}`;
}

/** Whether the path is the folder or is below it. Ignores letter case, because some systems do. */
export function isWithin(path: string, folder: string): boolean {
  if (folder === "") return false;
  const [one, other] = [path.toLowerCase(), folder.toLowerCase()];
  return one === other || one.startsWith(other.endsWith("/") ? other : `${other}/`);
}

/** The path relative to the folder that contains it. */
export function relativeTo(path: string, folder: string): string {
  return path.slice(folder.length).replace(/^\//, "");
}
