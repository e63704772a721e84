/** Opens an address in the person's browser. */
import { spawn } from "node:child_process";
import { allowedEnvironment, type Environment } from "./environment.ts";
import { tellsPeers } from "./peer.ts";

const DESKTOP = [
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "DBUS_SESSION_BUS_ADDRESS",
  "BROWSER",
  "DESKTOP_SESSION",
];

/**
 * Returns whether a browser may open. Every user of a machine sees the words of a command line: there, an address may stand
 * only where the server refuses other users' connections anyway (`peerSocket`).
 */
export function openBrowser(address: string, environment: Environment): boolean {
  const script = `open location ${JSON.stringify(address)}`;
  if (process.platform === "darwin") return start("osascript", ["-"], environment, script);
  const hasDesktop = environment.DISPLAY || environment.WAYLAND_DISPLAY;
  if (process.platform !== "linux" || !hasDesktop || !tellsPeers()) return false;
  return start("xdg-open", [address], environment, "");
}

function start(program: string, args: readonly string[], environment: Environment, input: string): boolean {
  const child = spawn(program, args, {
    env: allowedEnvironment(environment, DESKTOP),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // The address is printed, too.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  child.unref();
  return child.pid !== undefined;
}
