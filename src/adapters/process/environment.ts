/**
 * The environment of a child process: an allow-list, the same for every program that Pawl starts, plus named
 * variables.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the certificates lie that a company's network needs. */
export const CERTIFICATES: readonly string[] = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"],
  ...["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NIX_SSL_CERT_FILE"],
];

/** Where toolchains lie, and which version is wanted: without these, another one runs. Not what is written to (`CARGO_HOME`). */
const TOOLCHAINS: readonly string[] = [
  ...[
    "JAVA_HOME",
    "GOROOT",
    "DOTNET_ROOT",
    "ANDROID_HOME",
    "RUSTUP_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "ASDF_DIR",
  ],
  ...["ASDF_DATA_DIR", "MISE_DATA_DIR", "NODENV_ROOT", "PYENV_ROOT", "RBENV_ROOT"],
  ...["GOTOOLCHAIN", "RUSTUP_TOOLCHAIN", "NODENV_VERSION", "PYENV_VERSION", "RBENV_VERSION"],
];

/** Variables that programs need to run at all; none is secret. */
const ALWAYS: readonly string[] = [
  ...CERTIFICATES,
  ...TOOLCHAINS,
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
  "NODE_USE_SYSTEM_CA",
  "LOCALE_ARCHIVE",
  "LC_*",
  "XDG_*",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

/**
 * Variables that git may need to reach a remote, given only to calls of a remote: the ssh agent, the askpass
 * program, and those of credential helpers.
 */
export const REMOTE_CREDENTIALS: readonly string[] = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "SSH_ASKPASS",
  "SSH_ASKPASS_REQUIRE",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "KRB5CCNAME",
  "GIT_ASKPASS",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "VSCODE_GIT_*",
  // The sockets of VS Code's helper in a dev container, and of Windows' in WSL.
  "REMOTE_CONTAINERS_IPC",
  "REMOTE_CONTAINERS_SOCKETS",
  "WSL_INTEROP",
  "GCM_*",
  "GNUPGHOME",
  "PASSWORD_STORE_DIR",
  "GITHUB_TOKEN",
  "GH_*",
  "GITLAB_TOKEN",
  "GITEA_TOKEN",
  "FORGEJO_TOKEN",
  "BITBUCKET_TOKEN",
  "AWS_*",
  "AZURE_*",
  "GOOGLE_APPLICATION_CREDENTIALS",
];

const PROXIES = /^(https?|no|all)_proxy$/i;

/** The variables on the allow-list, those that `names` adds, and a proxy whose address holds no password. */
export function allowedEnvironment(
  environment: Environment,
  names: readonly string[] = [],
): Record<string, string> {
  const wanted = [...ALWAYS, ...names];
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (wanted.some((name) => matches(entry[0], name)) || isPlainProxy(entry[0], entry[1])),
  );
  return Object.fromEntries(passed);
}

/**
 * Settings for git as variables, numbered after those that the environment has: `GIT_CONFIG_COUNT` and its
 * pairs.
 */
export function gitSettings(
  settings: readonly (readonly [key: string, value: string])[],
  { GIT_CONFIG_COUNT }: Environment = {},
): Record<string, string> {
  const from = Number(GIT_CONFIG_COUNT ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${from + index}`, key],
    [`GIT_CONFIG_VALUE_${from + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(from + settings.length), ...Object.fromEntries(pairs) };
}

/** The proxies, with their passwords: for a remote that is reachable only through them. */
export function proxiesIn(environment: Environment): Record<string, string> {
  const proxies = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PROXIES.test(entry[0]),
  );
  return Object.fromEntries(proxies);
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function isPlainProxy(name: string, value: string): boolean {
  return PROXIES.test(name) && !value.includes("@");
}
