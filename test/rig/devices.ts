/** `pawl board --listen` at a terminal of its own, and what its person sees there. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import decodeQR from "qr/decode.js";
import { MAIN, type TemporaryProject, testEnvironment } from "./project.ts";
import { until } from "./until.ts";

export interface DeviceBoard {
  /** Of the machine's own browsers. */
  readonly url: string;
  /** `http://localhost:4711` */
  readonly origin: string;
  /** Everything on the screen so far. */
  screen(): string;
  /** What it wrote to its output and its errors, which go to files. */
  output(): string;
  /** What the person reads to a device: the code, and what the QR code says. */
  invitation(): { readonly code: string; readonly address: string };
  /** The next one, after a press on Enter. */
  another(): Promise<{ readonly code: string; readonly address: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openDeviceBoard(
  project: Pick<TemporaryProject, "root">,
  args: readonly string[] = ["--listen", "127.0.0.1:0"],
  environment: Readonly<Record<string, string>> = testEnvironment(),
): Promise<DeviceBoard> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-terminal-"));
  const [out, err] = [join(folder, "out"), join(folder, "err")];
  const words = [process.execPath, MAIN, "board", "--json", "--no-open", ...args].map(quoted).join(" ");
  const child = spawn(
    "script",
    ["--quiet", "--return", "--command", `exec ${words} >${quoted(out)} 2>${quoted(err)}`, "/dev/null"],
    {
      cwd: project.root,
      env: { ...environment, SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  };
  const output = () => read(out) + read(err);
  await until(() => codesIn(screen).length > 0 || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`It does not serve: ${output()}`);
  const { listens, url } = JSON.parse(read(out).split("\n")[0] ?? "");
  const invitation = () => ({ code: codesIn(screen).at(-1) ?? "", address: scanned(screen) });
  return {
    ...{ url, origin: listens, output, invitation, screen: () => screen },
    async another() {
      const before = codesIn(screen).length;
      child.stdin.write("\n");
      await until(() => codesIn(screen).length > before);
      return invitation();
    },
    async [Symbol.asyncDispose]() {
      end(child);
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ctrl-C. */
function end(child: ChildProcess): void {
  child.stdin?.write("\u0003");
}

function codesIn(screen: string): readonly string[] {
  return [...screen.matchAll(/\n {2}([A-Z0-9]{4}-[A-Z0-9]{4})\r?\n[\s\S]*?Ctrl-C/g)].map(
    ([, code = ""]) => code,
  );
}

const PIXELS = 4;

/** Reads the last QR code on the screen as a camera does. */
function scanned(screen: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
  const lines = [...screen.matchAll(/\u001b\[97;40m([█▀▄ ]+)\u001b\[0m/g)].map(([, line = ""]) => line);
  const width = lines.at(-1)?.length ?? 0;
  const last = lines.slice(-Math.ceil(width / 2));
  const light = last.flatMap((line) => [
    [...line].map((block) => block === "█" || block === "▀"),
    [...line].map((block) => block === "█" || block === "▄"),
  ]);
  const [side, rows] = [width * PIXELS, light.length * PIXELS];
  const data = new Uint8Array(side * rows * 3);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < side; x++)
      data.fill(
        light[Math.floor(y / PIXELS)]?.[Math.floor(x / PIXELS)] ? 255 : 0,
        (y * side + x) * 3,
        (y * side + x) * 3 + 3,
      );
  return decodeQR({ width: side, height: rows, data });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
