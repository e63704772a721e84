/** Opens an address in the person's browser. */
import { allowedEnvironment, type Environment } from "./environment.ts";
import { canSeePeers } from "./peer.ts";
import { findProgram, safePath } from "./programs.ts";
import { spawn } from "./start-program.ts";

const DESKTOP = [
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "DBUS_SESSION_BUS_ADDRESS",
  "BROWSER",
  "DESKTOP_SESSION",
];

/**
 * Returns whether a browser may open. Every user of a machine can see command lines, so an address with a
 * secret may be passed only if the server refuses other users' connections anyway (`peerSocket`).
 */
export function openBrowser(address: string, environment: Environment): boolean {
  const script = `open location ${JSON.stringify(address)}`;
  if (process.platform === "darwin") return start("/usr/bin/osascript", ["-"], environment, script);
  const hasDesktop = environment.DISPLAY || environment.WAYLAND_DISPLAY;
  if (process.platform !== "linux" || !hasDesktop || !canSeePeers()) return false;
  return start("xdg-open", [address], environment, "");
}

function start(program: string, args: readonly string[], environment: Environment, input: string): boolean {
  const { path } = findProgram(program, environment);
  if (path === null) return false;
  const child = spawn(path, args, {
    env: { ...allowedEnvironment(environment, DESKTOP), PATH: safePath(environment) },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Ignored: the address is printed, too.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  child.unref();
  return child.pid !== undefined;
}
