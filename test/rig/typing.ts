/** A person at a program that draws on the whole terminal: each thing that they type waits for what they must see first. */
import { spawn } from "node:child_process";

export interface Typed {
  readonly code: number | null;
  /** Everything that was written to the terminal. */
  readonly screen: string;
}

/** `turns`: what must be seen since the last turn, and what is typed then. */
export async function typing(
  words: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  turns: readonly (readonly [seen: string, typed: string])[],
): Promise<Typed> {
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", command]
      : ["--quiet", "--return", "--command", `stty cols 100 rows 30; ${command}`, "/dev/null"];
  const child = spawn("script", args, {
    cwd: place.cwd,
    env: { ...place.env, SHELL: "/bin/sh", TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let since = 0;
  let turn = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
    for (const [seen, typed] of turns.slice(turn)) {
      const at = screen.indexOf(seen, since);
      if (at < 0) break;
      since = at + seen.length;
      turn += 1;
      child.stdin.write(typed);
    }
  });
  child.stdin.on("error", () => {});
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (turn < turns.length) throw new Error(`Never seen: ${turns[turn]?.[0]}\n${screen}`);
  return { code, screen };
}
