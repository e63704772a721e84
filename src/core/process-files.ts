import { readOnce } from "./once.ts";

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
  const workflowFiles = workflows.map((file) => file.replace(/^\.\//, ""));
  const deciding = processFiles(paths).map(({ path }) => path);
  return [...new Set([...deciding, ...paths.filter((path) => workflowFiles.includes(path))])].sort();
}

/** Names with blanks between them. */
type Kinds = Readonly<Partial<Record<ProcessFileKind, readonly string[]>>>;

const FOLDERS: Kinds = {
  tests: [
    "test tests __tests__ __mocks__ __snapshots__ __fixtures__ spec specs e2e cypress fixtures testdata",
    "test-data",
  ],
  scripts: ["script scripts bin .bin tools hack tasks makefiles .mk"],
  CI: [
    ".github .gitlab .circleci .buildkite .forgejo .gitea .woodpecker .ci ci .drone .teamcity",
    ".azure-pipelines",
  ],
  configuration: [
    ".husky .githooks .git-hooks .devcontainer .vscode .idea .fleet .zed .cargo .mvn .yarn .config .mise",
    "patches .claude .codex .cursor .gemini .opencode .agents .alfred .ai .pawl node_modules",
  ],
};

const NAMES: Kinds = {
  tests: ["conftest.py pytest.ini tox.ini noxfile.py phpunit.xml .rspec"],
  scripts: [
    "makefile gnumakefile justfile .justfile rakefile gulpfile.js gruntfile.js cakefile jakefile",
    "fabfile.py tasks.py build.rs dodo.py gradlew gradlew.bat mvnw mvnw.cmd configure snakefile earthfile",
    "taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml",
  ],
  CI: [
    "jenkinsfile .gitlab-ci.yml .travis.yml azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml",
    ".drone.yml .cirrus.yml cloudbuild.yaml buildspec.yml wercker.yml codecov.yml .codecov.yml",
    "dependabot.yml action.yml action.yaml .woodpecker.yml renovate.json",
  ],
  "lock files": [
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb go.sum go.work.sum package.resolved",
    "packages.lock.json gradle.lockfile verification-metadata.xml module.bazel.lock",
  ],
  configuration: [
    "package.json pnpm-workspace.yaml .npmrc .pnpmfile.cjs .yarnrc .yarnrc.yml bunfig.toml deno.json",
    "deno.jsonc biome.json biome.jsonc nx.json turbo.json lerna.json rush.json project.json",
    "pyproject.toml setup.py setup.cfg pipfile uv.toml mypy.ini sitecustomize.py usercustomize.py",
    "pip.conf .pip.conf ruff.toml cargo.toml rust-toolchain rust-toolchain.toml clippy.toml go.mod",
    "go.work pom.xml gemfile .bundle composer.json mix.exs rebar.config package.swift podfile project.clj",
    "cmakelists.txt meson.build build build.bazel workspace module.bazel .bazelrc flake.nix shell.nix",
    "default.nix dockerfile containerfile .dockerignore vagrantfile procfile .gitattributes .gitmodules",
    ".gitignore .gitconfig .mailmap .editorconfig .envrc .tool-versions mise.toml .mise.toml .nvmrc",
    ".node-version .python-version .ruby-version .pre-commit-config.yaml lefthook.yml .lefthook.yml",
    "agents.md claude.md gemini.md .cursorrules .mcp.json opencode.json opencode.jsonc pawl.yaml pawl.yml",
    "tasks.yaml tasks.yml",
  ],
};

const ENDINGS: Kinds = {
  tests: [".snap .feature .bats"],
  scripts: [".sh .bash .zsh .fish .ps1 .cmd .bat .mk .mak"],
  "lock files": [".lock .lockfile"],
  configuration: [
    ".gradle .gradle.kts .csproj .fsproj .vbproj .sln .props .targets .gemspec .cabal .nix .bzl .cmake",
    ".dockerfile .pth .code-workspace",
  ],
};

const kindsOf = (kinds: Kinds) =>
  readOnce(() => {
    const all = Object.entries(kinds).flatMap(([kind, lines]) =>
      lines.flatMap((line) => line.split(" ").map((name) => [name, kind as ProcessFileKind] as const)),
    );
    return new Map(all);
  });
const [ofFolders, ofNames, ofEndings] = [kindsOf(FOLDERS), kindsOf(NAMES), kindsOf(ENDINGS)];

/** Words between the dots, dashes and underscores of a file name. */
const TEST_WORDS: ReadonlySet<string> = new Set(["test", "tests", "spec", "specs", "e2e", "cy"]);
/** A configuration file's name may start with one of these, followed by a dot, a dash or nothing. */
const CONFIGURATION_STEMS = ["tsconfig", "jsconfig", "dockerfile", "compose", "docker-compose", ".env"];

function kindOf(path: string): ProcessFileKind | null {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  return (
    ofNames().get(name) ??
    (isTest(path, name) ? "tests" : null) ??
    segments.map((folder) => ofFolders().get(folder)).find((kind) => kind !== undefined) ??
    [...ofEndings()].find(([ending]) => name.endsWith(ending) && name !== ending)?.[1] ??
    (isConfiguration(name) ? "configuration" : null)
  );
}

function isTest(path: string, name: string): boolean {
  const words = name.split(/[._-]/);
  // The last word is the extension (`rate.test.ts`), unless it is the only word (`test`).
  const named = words.length > 1 ? words.slice(0, -1) : words;
  if (named.some((word) => TEST_WORDS.has(word))) return true;
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
