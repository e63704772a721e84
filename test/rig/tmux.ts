/** A program on a real terminal of its own, whose screen is seen and whose keys are pressed, by tmux. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hangs, until } from "./until.ts";

export const HAS_TMUX = spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0;

export interface Screen extends Disposable {
  /** The lines on it, without the empty ones at its end, once they hold. */
  seen(holds: (lines: readonly string[]) => boolean): Promise<readonly string[]>;
  /** As tmux names them: `j`, `Enter`, `Escape`. */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  resize(columns: number, rows: number): void;
}

/** At first of 80 columns and 24 lines. When the command has ended, the last line is `exit CODE`. */
export function openScreen(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Screen {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tmux-"));
  const socket = join(folder, "tmux");
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8" });
  const shown = `${command}; echo "exit $?"; ${hangs()}`;
  execFileSync(
    "tmux",
    ["-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", shown],
    { cwd, env: { ...env } },
  );
  return {
    async seen(holds) {
      const lines = () => tmux("capture-pane", "-p").trimEnd().split("\n");
      return until(() => {
        const now = lines();
        return holds(now) && now;
      }).catch((cause: unknown) => {
        throw new Error(`The screen never came to that. It shows:\n${lines().join("\n")}`, { cause });
      });
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", text),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    [Symbol.dispose]() {
      spawnSync("tmux", ["-S", socket, "kill-server"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
