/** Completion in the real shells. A shell that is not installed is skipped here; CI installs all three. */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

/** What is typed after the script was loaded, and how the shell shows what it would offer. */
const SHELLS = {
  bash: (line: readonly string[]) => `
eval "$(pawl completion bash)"
COMP_WORDS=(${line.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${line.length - 1}
_pawl
printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line: readonly string[]) => `
autoload -U compinit && compinit -u -D
eval "$(pawl completion zsh)"
_describe() { for each in "\${found[@]}"; do print -r -- "\${each%%:*}"; done }
_files() { : }
words=(${line.map((word) => `'${word}'`).join(" ")})
CURRENT=${line.length}
_pawl`,
  fish: (line: readonly string[]) => `
pawl completion fish | source
complete -C '${line.join(" ")}' | cut -f 1`,
} as const;

const isThere = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

async function completes(shell: keyof typeof SHELLS): Promise<void> {
  using project = temporaryProject();
  project.write("tasks.yaml", "tasks:\n  - { id: T-17, title: One, status: todo }\n");
  project.write("bin/pawl", `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(project.root, "bin/pawl"), 0o755);
  const environment = testEnvironment({
    DOOR_ONLY: "",
    HOME: project.root,
    XDG_CONFIG_HOME: project.root,
  });
  const offered = (line: readonly string[]) => {
    const script = join(project.root, "script");
    writeFileSync(script, SHELLS[shell](line));
    const { stderr, stdout } = spawnSync(shell, shell === "zsh" ? ["-f", script] : [script], {
      cwd: project.root,
      env: { ...environment, PATH: `${project.root}/bin:${environment.PATH}` },
      encoding: "utf8",
      timeout: 60_000,
    });
    return { words: stdout.split("\n").map((word) => word.trim()), stderr };
  };
  expect(offered(["pawl", "doc"])).toMatchObject({ words: expect.arrayContaining(["doctor"]) });
  expect(offered(["pawl", "completion", ""])).toMatchObject({
    words: expect.arrayContaining(["bash", "zsh", "fish"]),
  });
  expect(offered(["pawl", "done", "T-"])).toMatchObject({ words: expect.arrayContaining(["T-17"]) });
  expect(offered(["pawl", "show", "T-"])).toMatchObject({ words: expect.arrayContaining(["T-17"]) });
}

it.skipIf(!isThere("bash"))("bash completes commands, choices, runs and tasks", () => {
  promise("cli.completion");
  return completes("bash");
});
it.skipIf(!isThere("zsh"))("zsh completes commands, choices, runs and tasks", () => {
  promise("cli.completion");
  return completes("zsh");
});
it.skipIf(!isThere("fish"))("fish completes commands, choices, runs and tasks", () => {
  promise("cli.completion");
  return completes("fish");
});
