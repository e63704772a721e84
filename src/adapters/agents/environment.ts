/** What a child is told of the environment: an allow-list, and never more than is named. */
import { ceilingOf } from "../git/whole.ts";
import { MARK, markValue } from "./mark.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What programs need to run at all; nothing here is a secret. */
const ALWAYS = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TMPDIR",
  "TZ",
  "COLORTERM",
  "NO_COLOR",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "LC_*",
  "XDG_*",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_NOSYSTEM",
];

/** Passed only where the address holds no password. */
const PROXIES = /^(https?|no|all)_proxy$/i;

export interface ChildOrder {
  readonly mark: string;
  readonly folder: string;
  /** Names that this child may have besides; a `*` at the end stands for any rest. */
  readonly names: readonly string[];
  readonly added: Readonly<Record<string, string>>;
}

export function childEnvironment(own: Environment, order: ChildOrder): Record<string, string> {
  const names = [...ALWAYS, ...order.names];
  const passed = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (names.some((name) => matches(entry[0], name)) || isPlainProxy(entry[0], entry[1])),
  );
  return {
    ...Object.fromEntries(passed),
    ...order.added,
    ...ceilingOf(order.folder),
    // Some programs work in $PWD, not in the folder that they were started in.
    PWD: order.folder,
    [MARK]: markValue(order.mark, own[MARK]),
  };
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function isPlainProxy(name: string, value: string): boolean {
  return PROXIES.test(name) && !value.includes("@");
}
