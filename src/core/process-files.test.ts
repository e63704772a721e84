import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { type ProcessFileKind, processFiles } from "./process-files.ts";

const kindsOf = (...paths: string[]) =>
  Object.fromEntries(processFiles(paths).map((one) => [one.path, one.kind]));

it.each<[ProcessFileKind, string[]]>([
  ["tests", ["test/a.ts", "src/rate.test.ts", "src/test_rate.py", "pkg/rate_test.go", "spec/a_spec.rb"]],
  [
    "tests",
    ["src/RateTest.java", "src/__snapshots__/a.snap", "conftest.py", "a/b/Tests/c.swift", "web/e2e/x.ts"],
  ],
  ["scripts", ["scripts/release.ts", "Makefile", "build/rules.mk", "run.sh", "a/bin/tool", "justfile"]],
  ["CI", [".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml"]],
  ["lock files", ["package-lock.json", "web/pnpm-lock.yaml", "yarn.lock", "Cargo.lock", "go.sum"]],
  [
    "configuration",
    [".npmrc", "package.json", "web/.npmrc", "pyproject.toml", "Dockerfile", "Dockerfile.prod"],
  ],
  [
    "configuration",
    ["vite.config.ts", ".eslintrc.cjs", "tsconfig.build.json", ".gitattributes", ".gitmodules"],
  ],
  ["configuration", [".vscode/tasks.json", ".husky/pre-push", "requirements-dev.txt", "docker-compose.yml"]],
  [
    "configuration",
    ["pawl.yaml", "tasks.yaml", ".alfred/config.yml", "node_modules/left-pad/index.js", ".env.local"],
  ],
])("finds %s", (kind, paths) => {
  expect(kindsOf(...paths)).toEqual(Object.fromEntries(paths.map((path) => [path, kind])));
});

it("finds them in any letter case, since a file system may ignore it", () => {
  expect(kindsOf("PACKAGE.JSON", ".NPMRC", "Test/A.ts", ".GitHub/workflows/x.yml")).toEqual({
    "PACKAGE.JSON": "configuration",
    ".NPMRC": "configuration",
    "Test/A.ts": "tests",
    ".GitHub/workflows/x.yml": "CI",
  });
});

it("leaves the work itself alone", () => {
  promise("base.process-files");
  const work = [
    "src/rate.ts",
    "README.md",
    "docs/protest.md",
    "src/latest.ts",
    "src/contest/vote.ts",
    "lib/config.ts",
  ];
  expect(
    processFiles([...work, "src/constructor", "src/__proto__", "index.html", "src/inspector.ts"]),
  ).toEqual([]);
});

it.each(["/", ".", "-", "_", "a", "test.", "\u0000", "\\"])(
  "reads a path of a million times %j at once",
  (text) => {
    const begun = process.cpuUsage();
    processFiles([text.repeat(1_000_000 / text.length)]);
    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
  },
);
