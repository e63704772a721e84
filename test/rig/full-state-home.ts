/**
 * A board for devices whose state folder is on a full disk, which this process mounts for itself: started by
 * `devices.proof.test.ts` in a mount namespace of its own, with the folder to mount on. Prints what it saw as JSON.
 */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ask } from "./board.ts";
import { openDeviceBoard } from "./devices.ts";
import { personAtTerminal, temporaryProject } from "./project.ts";

const [root = ""] = process.argv.slice(2);
execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", root]);
process.env.XDG_STATE_HOME = root;

const filler = join(root, "filler");
function fill(): void {
  const file = openSync(filler, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(512, 1));
  } catch {
    closeSync(file);
  }
}

async function look() {
  using project = temporaryProject();
  await using board = await openDeviceBoard(project);
  const { host, port } = new URL(board.origin);
  const come = (secret: string) =>
    ask(`http://127.0.0.1:${port}/enter/cookie`, {
      method: "POST",
      headers: { host, origin: board.origin, "content-type": "application/json" },
      body: JSON.stringify({ secret, name: "Phone" }),
    });
  const listed = async () => (await personAtTerminal(project.root, ["board", "--devices"])).out;
  fill();
  const { headers, json, status } = await come(board.invitation().code);
  const refused = { ...json(), status, cookie: headers["set-cookie"] ?? null };
  const devices = join(root, "pawl/devices");
  rmSync(filler);
  const before = { files: readdirSync(devices), listed: await listed() };
  const { code } = await board.another();
  const again = (await come(code)).status;
  return { refused, before, again, after: await listed() };
}

const seen = await look();
execFileSync("umount", [root]);
process.stdout.write(JSON.stringify(seen));
