/**
 * Signs Pawl's commits as the person's git does (`commit.gpgsign`): outside the wall, with the person's own
 * keys, which no agent sees. The signed commit has the same files and parents. Only the person's own
 * configuration may name the programs.
 */
import { PawlError } from "../../core/error.ts";
import { allowedEnvironment, REMOTE_CREDENTIALS } from "../process/environment.ts";
import { configOf, type GitCall, git, gitLine } from "./git.ts";
import { identityOf } from "./refs.ts";
import { type KnownConfig, lastOf } from "./safe-config.ts";

const GIT_TIMEOUT = 60_000;
const PROGRAMS = [
  "gpg.program",
  "gpg.openpgp.program",
  "gpg.ssh.program",
  "gpg.x509.program",
  "gpg.ssh.defaultkeycommand",
];

/**
 * Signs the commits, each on top of the one before, if the person's commits are signed. Returns the last.
 * Throws `signing-failed`.
 */
export async function signed(
  { from, hub }: { readonly from: GitCall; readonly hub: GitCall },
  commits: readonly string[],
  base: string,
): Promise<string> {
  const config = await configOf(from);
  if (!(await isSigning(from))) return commits.at(-1) ?? base;
  const anew = new Map<string, string>();
  for (const commit of commits) anew.set(commit, await signOne({ from, hub, config }, commit, anew));
  return anew.get(commits.at(-1) ?? "") ?? base;
}

/** Whether the person's git signs each commit. */
export async function isSigning(from: GitCall): Promise<boolean> {
  return /^(?:true|yes|on|1)$/i.test(lastOf(await configOf(from), "commit.gpgsign") ?? "");
}

async function signOne(
  { from, hub, config }: { readonly from: GitCall; readonly hub: GitCall; readonly config: KnownConfig },
  commit: string,
  anew: ReadonlyMap<string, string>,
): Promise<string> {
  const shape = "--format=%T%n%P%n%an%n%ae%n%aI%n%B";
  const [
    tree = "",
    parents = "",
    GIT_AUTHOR_NAME = "",
    GIT_AUTHOR_EMAIL = "",
    GIT_AUTHOR_DATE = "",
    ...message
  ] = (await gitLine(hub, ["log", "-1", shape, commit])).split("\n");
  const isSigned = /\ngpgsig /.test(
    (await gitLine(hub, ["cat-file", "commit", commit])).split("\n\n")[0] ?? "",
  );
  if (isSigned && !parents.split(" ").some((parent) => anew.has(parent) && anew.get(parent) !== parent))
    return commit;
  const credentials = allowedEnvironment(from.environment, [...REMOTE_CREDENTIALS, "GNUPGHOME", "GPG_TTY"]);
  const { errors, code, output } = await git(
    {
      ...hub,
      gitVariables: { ...credentials, GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_AUTHOR_DATE },
      ...{ input: message.join("\n"), limit: GIT_TIMEOUT, accept: [1, 124, 128] },
    },
    [
      ...(await options(from, config)),
      ...["commit-tree", "-S", tree],
      ...parents
        .split(" ")
        .filter(Boolean)
        .flatMap((parent) => ["-p", anew.get(parent) ?? parent]),
    ],
  );
  if (code === 0) return output.trim();
  throw new PawlError(
    "signing-failed",
    `A commit of Pawl's cannot be signed as ${from.folder} asks (commit.gpgsign): ${errors.trim().split("\n").at(-1) ?? ""}`,
    "Unlock the key (ssh-add, gpg-agent) while Pawl works, or give it a key without a passphrase by `user.signingkey`; or set `commit.gpgsign` to false there.",
  );
}

/** Signs a commit as a test, so that a failure shows before an agent costs money. */
export async function checkSigning(from: GitCall, hub: GitCall, commit: string): Promise<void> {
  const key = `${hub.folder}\0${JSON.stringify(await options(from, await configOf(from)))}`;
  if (tried.has(key)) return;
  await signed({ from, hub }, [commit], commit);
  tried.add(key);
}

const tried = new Set<string>();

async function options(from: GitCall, config: KnownConfig): Promise<readonly string[]> {
  const who = await identityOf(from);
  const settings = [
    ...["gpg.format", "user.signingkey"].map((name) => [name, lastOf(config, name)] as const),
    ...PROGRAMS.map((name) => [name, lastOf(config, name, true) ?? usual(name)] as const),
    ["user.name", who?.name ?? null] as const,
    ["user.email", who?.email ?? null] as const,
  ];
  return settings.flatMap(([name, value]) => (value === null ? [] : ["-c", `${name}=${value}`]));
}

/** Git's default, which Pawl's other calls override. */
function usual(name: string): string | null {
  const programs: Readonly<Record<string, string>> = {
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.x509.program": "gpgsm",
  };
  return programs[name] ?? null;
}
