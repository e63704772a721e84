import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { callOf } from "./pawl-calls.ts";
import { plainCommands } from "./plain-commands.ts";
import {
  gitActOf,
  isGitWork,
  isPawlCall,
  isReading,
  isTesting,
  personVerbIn,
  startingFolders,
  undoneBy,
} from "./short-list.ts";

const each = <T>(line: string, look: (command: NonNullable<ReturnType<typeof plainCommands>>[number]) => T) =>
  plainCommands(line)?.map(look) ?? null;
const reads = (line: string) => each(line, isReading)?.every(Boolean) ?? false;

describe("a line", () => {
  it.each([
    ["git status --short", [["git", "status", "--short"]]],
    [
      "grep -rn 'a b' src 2>/dev/null | head -5",
      [
        ["grep", "-rn", "a b", "src"],
        ["head", "-5"],
      ],
    ],
    ["cd src && ls; pwd || true", [["cd", "src"], ["ls"], ["pwd"], ["true"]]],
    [
      "npm test 2>&1 | tail -20 >/dev/null",
      [
        ["npm", "test"],
        ["tail", "-20"],
      ],
    ],
    ["echo \"it's\" a''b x'y'\"z\"", [["echo", "it's", "ab", "xyz"]]],
    ["git show HEAD~1:a HEAD@{1} HEAD^", null],
    ["git show HEAD@{1} HEAD^", [["git", "show", "HEAD@{1}", "HEAD^"]]],
    ["\n ls \n", [["ls"]]],
    ["ls\npwd", [["ls"], ["pwd"]]],
  ])("is plain, or nothing is known of it: %s", (line, expected) => {
    promise("guard.shell");
    expect(plainCommands(line)).toEqual(expected);
  });

  it.each([
    ...["", "  ", ";", "| ls", "ls &&", "ls;;pwd", "ls & pwd", "ls |& cat", "ls ||| cat"],
    ...[
      "echo $A",
      'echo "$A"',
      "echo `id`",
      "echo $(id)",
      "echo a\\ b",
      'echo "a\\"b"',
      "ls *",
      "ls a?",
      "ls [a]",
    ],
    ...[
      "ls {a,b}",
      "ls ~",
      "echo > a",
      "echo >a 2>&1",
      "cat < a",
      "cat <<E\nE",
      "cat <(ls)",
      "(ls)",
      "{ ls; }",
    ],
    ...[
      "A=b ls",
      "! ls",
      "# ls",
      "ls # a",
      "echo a>b",
      "echo 2>/dev/nullx",
      "echo 2>/dev/null/x",
      "echo 3>&1",
    ],
    ...["=ls", "echo =ls", "'a b' c", "\u0000", "ls\r", "ls \u00a0a", `echo ${"x".repeat(30_000)}`],
  ])("is not plain: %j", (line) => {
    promise("guard.shell");
    expect(plainCommands(line)).toBeNull();
  });
});

describe("a plain command", () => {
  it.each([
    ...[
      "ls -la",
      "cat a b | wc -l",
      "find . -name '*.ts' | sort -u | head",
      "rg -n foo src",
      "sed -n '1,20p' a",
    ],
    ...[
      "git status",
      "git -C sub --no-pager log --oneline -5",
      "git diff main -- src",
      "git branch",
      "git branch -vv",
    ],
    ...[
      "git stash list",
      "git remote -v",
      "git tag",
      "git config --get user.name",
      "git ls-files --exclude-standard",
    ],
    ...["git grep -n foo", "git diff --text", "uniq -c a", "uniq a", "sort -t, -k2 a", "git worktree list"],
  ])("reads: %s", (line) => {
    promise("guard.shell");
    expect(reads(line)).toBe(true);
  });

  it.each([
    ...[
      "rm a",
      "tee a",
      "sed -i s/a/b/ c",
      "sed -n 'w x' a",
      "sed -n 1p -i a",
      "awk 1 a",
      "sort -o a b",
      "sort -uo a b",
    ],
    ...[
      "sort --out=a b",
      "sort --compress-program=x a",
      "uniq a b",
      "find . -delete",
      "find . -exec rm a",
      "find . -fprintf a b",
    ],
    ...[
      "rg --pre ./x a",
      "tree -o a",
      "file -C -m a",
      "date -s now",
      "env ls",
      "./ls",
      "/bin/ls",
      "python3 a",
      "node a",
    ],
    ...[
      "git log --output=a",
      "git log --outp=a",
      "git -c a=b status",
      "git --git-dir x status",
      "git grep -O./x a",
    ],
    ...[
      "git grep --open-files-in-pager=x a",
      "git diff --ext-diff",
      "git branch x",
      "git branch -D x",
      "git stash",
      "git remote add a b",
    ],
    ...[
      "git tag x",
      "git config a b",
      "git commit -m x",
      "git checkout x",
      "git push",
      "git checkout-index -a",
      "constructor",
      "git constructor",
    ],
  ])("may do more: %s", (line) => {
    promise("guard.shell");
    expect(reads(line)).toBe(false);
  });

  it("is git's own work, and not git with a file's name or another program", () => {
    promise("guard.shell");
    const are = (...lines: readonly string[]) =>
      lines.filter((line) => each(line, isGitWork)?.every(Boolean));
    const lawful = [
      "git add -A",
      "git commit -m 'x y'",
      "git stash",
      "git checkout -q -b x",
      "git push -u origin HEAD",
      "gh pr create --fill",
      "git switch x",
      "git checkout x",
    ];
    expect(are(...lawful)).toEqual(lawful);
    expect(
      are(
        "git checkout x a",
        "git checkout -- a",
        "git restore a",
        "git rebase -x ./a main",
        "git rebase --exec=a m",
        "git push --receive-pack=./a",
        "git pull ext::sh",
        "git -c a=b commit",
        "git config a b",
        "git apply a",
        "git clean -fd",
        "gh pr merge",
        "gh api x",
        "git fetch --upload-pack ./x",
      ),
    ).toEqual([]);
  });

  it.each([
    ["git commit -m x", ["commit"]],
    ["git -C a -c b=c commit", ["commit"]],
    ["git cherry-pick a && git push", ["commit", "push"]],
    ["gh pr create --fill; glab mr merge 1", ["push", "push"]],
    ["git log --grep commit; git stash push; gh pr view; git commit-graph write", [null, null, null, null]],
  ])("commits or pushes: %s", (line, expected) => {
    expect(each(line, gitActOf)).toEqual(expected);
  });

  it.each([
    ["pawl approve x", "approve"],
    ["npx -y pawl@latest approve x", "approve"],
    ["/usr/bin/pawl trust", "trust"],
    ["node node_modules/pawl/dist/main.js approve x", "approve"],
    ["env -u CLAUDECODE pawl approve x", "approve"],
    ["pawl --project . approve x", "approve"],
    ["pawl status", null],
    ["echo pawl approve x", null],
    ["grep -rn 'pawl approve' docs", null],
  ])("speaks for a person: %s", (line, verb) => {
    promise("guard.person");
    expect(each(line, personVerbIn)?.find((found) => found !== null) ?? null).toBe(verb);
  });

  it("is Pawl, a test run, or puts files back", () => {
    const isTrue = (look: Parameters<typeof each<boolean>>[1]) => (line: string) =>
      each(line, look)?.every(Boolean);
    expect(
      ["pawl status", "npx --no pawl call x", "npx --no --package=pawl -- pawl show", "bloom list"].every(
        (line) => isTrue(isPawlCall)(line),
      ),
    ).toBe(true);
    expect(
      [
        "npx -c pawl",
        "npx --call=pawl pawl",
        "npx --package=evil pawl",
        "npx --prefix evil pawl",
        "./pawl x",
        "npx other pawl",
        "node pawl",
      ].some((line) => isTrue(isPawlCall)(line)),
    ).toBe(false);
    expect(
      ["npm test", "npm run test:unit -- a", "pytest -q", "cargo test"].every((line) =>
        isTrue(isTesting)(line),
      ),
    ).toBe(true);
    expect(
      ["npm install", "npm run deploy", "make", "npm testing"].some((line) => isTrue(isTesting)(line)),
    ).toBe(false);
    const foreign = [
      ...[
        "make test --eval=x",
        "make test -f a",
        "make test -E x",
        "make test SHELL=/tmp/x",
        "make test -C a",
      ],
      ...["go test -exec a ./...", "go vet -vettool=a", "go test -o a", "cargo test --config x"],
      ...["cargo test --manifest-path=a", "npm test --prefix a", "npm run test --script-shell a"],
      ...["pytest /tmp/x", "pytest -c x", "pytest ../x", "pytest ~/x", "pytest --rootdir=a", "mvn test -f a"],
      ...["./gradlew test -I a", "go test ../x"],
    ];
    expect(foreign.filter((line) => isTrue(isTesting)(line))).toEqual([]);
    const own = [
      "make test -j4",
      "go test ./... -run TestA -count=1",
      "pytest -x -k name a/b.py",
      "npm test -- a",
    ];
    expect(own.filter((line) => !isTrue(isTesting)(line))).toEqual([]);
    expect(each("rm -f a b; git restore a; git checkout -- b", undoneBy)).toEqual([["a", "b"], ["a"], ["b"]]);
    expect(each("rm -r a; git restore -s x a; git checkout a; git -C x restore a; ls", undoneBy)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it("calls a tool of Pawl's if its words tell which, and with what", () => {
    promise("guard.sessions");
    expect(each(`npx --no pawl call start_task '{"task_id": "T"}' --json`, callOf)).toEqual([
      { tool: "start_task", given: '{"task_id": "T"}' },
    ]);
    expect(each("pawl call a @b.json; pawl call c", callOf)).toEqual([
      { tool: "a", given: "@b.json" },
      { tool: "c", given: "{}" },
    ]);
    expect(each("pawl --project x call a; echo pawl call a; pawl call a b c", callOf)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("is looked at in the folders that it may mean, however often it goes through a link", () => {
    promise("guard.shell");
    // `a` leads to the folder that it is in.
    const places = (path: string, folder: string) =>
      path === "." ? [folder] : [`${folder}/${path}`, folder];
    const folders = (line: string) => startingFolders(plainCommands(line) ?? [], "/p", places)?.git ?? null;
    expect(folders("git -C a -C a status")).toEqual(["/p/a/a", "/p/a", "/p"]);
    expect(folders(`git ${"-C a ".repeat(24)}status`)).toHaveLength(25);
    expect(folders(`git ${"-C a ".repeat(3_000)}status`)).toBeNull();
  });
});
