import { lookOnce } from "./once.ts";

/**
 * The files that decide how work is judged instead of being the work itself: tests, scripts, CI, lock files,
 * configuration. Changing one of them can make a failing check pass, so a reviewer reads these first. Names
 * are compared without letter case, as on some file systems. When in doubt, a file is included.
 */
export type ProcessFileKind = "tests" | "scripts" | "CI" | "lock files" | "configuration";

export interface ProcessFile {
  readonly path: string;
  readonly kind: ProcessFileKind;
}

/**
 * The process files among the paths (from the repository's root, with forward slashes), in the given order.
 */
export function processFiles(paths: readonly string[]): readonly ProcessFile[] {
  return paths.flatMap((path) => {
    const kind = kindOf(path.toLowerCase());
    return kind === null ? [] : [{ path, kind }];
  });
}

/**
 * The files that decide how work is judged, including the project's own workflows, sorted. A gate's record
 * names them.
 */
export function judgingFiles(paths: readonly string[], workflows: readonly string[]): readonly string[] {
  const own = workflows.map((file) => file.replace(/^\.\//, ""));
  const found = processFiles(paths).map(({ path }) => path);
  return [...new Set([...found, ...paths.filter((path) => own.includes(path))])].sort();
}

const kindsOfFolders = lookOnce(
  (): Readonly<Record<string, ProcessFileKind>> => ({
    ...all(["test", "tests", "__tests__", "__mocks__", "__snapshots__", "__fixtures__"], "tests"),
    ...all(["spec", "specs", "e2e", "cypress", "fixtures", "testdata", "test-data"], "tests"),
    ...all(["script", "scripts", "bin", ".bin", "tools", "hack", "tasks", "makefiles", ".mk"], "scripts"),
    ...all([".github", ".gitlab", ".circleci", ".buildkite", ".forgejo", ".gitea", ".woodpecker"], "CI"),
    ...all([".ci", "ci", ".drone", ".teamcity", ".azure-pipelines"], "CI"),
    ...all(
      [".husky", ".githooks", ".git-hooks", ".devcontainer", ".vscode", ".idea", ".fleet"],
      "configuration",
    ),
    ...all([".zed", ".cargo", ".mvn", ".yarn", ".config", ".mise", "patches"], "configuration"),
    ...all([".claude", ".codex", ".cursor", ".gemini", ".opencode", ".agents"], "configuration"),
    ...all([".alfred", ".ai", ".pawl", "node_modules"], "configuration"),
  }),
);

const kindsOfNames = lookOnce(
  (): Readonly<Record<string, ProcessFileKind>> => ({
    ...all(["conftest.py", "pytest.ini", "tox.ini", "noxfile.py", "phpunit.xml", ".rspec"], "tests"),
    ...all(["makefile", "gnumakefile", "justfile", ".justfile", "rakefile", "gulpfile.js"], "scripts"),
    ...all(
      ["gruntfile.js", "cakefile", "jakefile", "fabfile.py", "tasks.py", "build.rs", "dodo.py"],
      "scripts",
    ),
    ...all(["gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "configure", "snakefile", "earthfile"], "scripts"),
    ...all(["taskfile.yml", "taskfile.yaml", "taskfile.dist.yml", "taskfile.dist.yaml"], "scripts"),
    ...all(["jenkinsfile", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "appveyor.yml"], "CI"),
    ...all(["bitbucket-pipelines.yml", ".drone.yml", ".cirrus.yml", "cloudbuild.yaml"], "CI"),
    ...all(["buildspec.yml", "wercker.yml", "codecov.yml", ".codecov.yml", "dependabot.yml"], "CI"),
    ...all(["action.yml", "action.yaml", ".woodpecker.yml", "renovate.json"], "CI"),
    ...all(["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb"], "lock files"),
    ...all(["go.sum", "go.work.sum", "package.resolved", "packages.lock.json"], "lock files"),
    ...all(["gradle.lockfile", "verification-metadata.xml", "module.bazel.lock"], "lock files"),
    ...all(["package.json", "pnpm-workspace.yaml", ".npmrc", ".pnpmfile.cjs", ".yarnrc"], "configuration"),
    ...all([".yarnrc.yml", "bunfig.toml", "deno.json", "deno.jsonc", "biome.json"], "configuration"),
    ...all(
      ["biome.jsonc", "nx.json", "turbo.json", "lerna.json", "rush.json", "project.json"],
      "configuration",
    ),
    ...all(["pyproject.toml", "setup.py", "setup.cfg", "pipfile", "uv.toml", "mypy.ini"], "configuration"),
    ...all(["sitecustomize.py", "usercustomize.py", "pip.conf", ".pip.conf", "ruff.toml"], "configuration"),
    ...all(["cargo.toml", "rust-toolchain", "rust-toolchain.toml", "clippy.toml"], "configuration"),
    ...all(["go.mod", "go.work", "pom.xml", "gemfile", ".bundle", "composer.json"], "configuration"),
    ...all(["mix.exs", "rebar.config", "package.swift", "podfile", "project.clj"], "configuration"),
    ...all(["cmakelists.txt", "meson.build", "build", "build.bazel", "workspace"], "configuration"),
    ...all(["module.bazel", ".bazelrc", "flake.nix", "shell.nix", "default.nix"], "configuration"),
    ...all(["dockerfile", "containerfile", ".dockerignore", "vagrantfile", "procfile"], "configuration"),
    ...all([".gitattributes", ".gitmodules", ".gitignore", ".gitconfig", ".mailmap"], "configuration"),
    ...all([".editorconfig", ".envrc", ".tool-versions", "mise.toml", ".mise.toml"], "configuration"),
    ...all([".nvmrc", ".node-version", ".python-version", ".ruby-version"], "configuration"),
    ...all([".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"], "configuration"),
    ...all(["agents.md", "claude.md", "gemini.md", ".cursorrules", ".mcp.json"], "configuration"),
    ...all(["opencode.json", "opencode.jsonc"], "configuration"),
    ...all(["pawl.yaml", "pawl.yml", "tasks.yaml", "tasks.yml"], "configuration"),
  }),
);

const ENDINGS: readonly (readonly [string, ProcessFileKind])[] = [
  ...[".snap", ".feature", ".bats"].map((end) => [end, "tests"] as const),
  ...[".sh", ".bash", ".zsh", ".fish", ".ps1", ".cmd", ".bat", ".mk", ".mak"].map(
    (end) => [end, "scripts"] as const,
  ),
  ...[".lock", ".lockfile"].map((end) => [end, "lock files"] as const),
  ...[".gradle", ".gradle.kts", ".csproj", ".fsproj", ".vbproj", ".sln", ".props", ".targets"].map(
    (end) => [end, "configuration"] as const,
  ),
  ...[".gemspec", ".cabal", ".nix", ".bzl", ".cmake", ".dockerfile", ".pth", ".code-workspace"].map(
    (end) => [end, "configuration"] as const,
  ),
];

/** Words between the dots, dashes and underscores of a file name. */
const TEST_WORDS: ReadonlySet<string> = new Set(["test", "tests", "spec", "specs", "e2e", "cy"]);
/** A configuration file's name may start with one of these, followed by a dot, a dash or nothing. */
const CONFIGURATION_STEMS = ["tsconfig", "jsconfig", "dockerfile", "compose", "docker-compose", ".env"];

function all(names: readonly string[], kind: ProcessFileKind): Readonly<Record<string, ProcessFileKind>> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

function kindOf(path: string): ProcessFileKind | null {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  return (
    lookUp(kindsOfNames(), name) ??
    (isTest(path, name) ? "tests" : null) ??
    segments.map((folder) => lookUp(kindsOfFolders(), folder)).find((kind) => kind !== null) ??
    ENDINGS.find(([ending]) => name.endsWith(ending) && name !== ending)?.[1] ??
    (isConfiguration(name) ? "configuration" : null)
  );
}

function lookUp(table: Readonly<Record<string, ProcessFileKind>>, name: string): ProcessFileKind | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

function isTest(path: string, name: string): boolean {
  const words = name.split(/[._-]/);
  // The last word is the extension (`rate.test.ts`), unless it is the only word (`test`).
  const own = words.length > 1 ? words.slice(0, -1) : words;
  if (own.some((word) => TEST_WORDS.has(word))) return true;
  return /(?:tests?|spec)\.(?:java|kt|scala|groovy|cs|fs|swift|php)$/.test(path);
}

function isConfiguration(name: string): boolean {
  const words = name.split(".");
  // `vite.config.ts`, `.eslintrc`, `.eslintrc.cjs`, `.prettierrc.json`
  if (words.slice(1).some((word) => word === "config" || word === "conf")) return true;
  if (name.startsWith(".") && words.some((word) => word.endsWith("rc") && word.length > 2)) return true;
  if (/^requirements[^/]*\.(?:txt|in)$/.test(name) || /^constraints[^/]*\.txt$/.test(name)) return true;
  return CONFIGURATION_STEMS.some(
    (stem) => name === stem || (name.startsWith(stem) && /[.-]/.test(name[stem.length] ?? "")),
  );
}
