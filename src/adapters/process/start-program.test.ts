import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";

const START = `
import { spawn } from ${JSON.stringify(new URL("./start-program.ts", import.meta.url).href)};
spawn("/bin/sh", ["-c", "ls -l /proc/self/fd"], { stdio: ["ignore", "inherit", "inherit"] });
`;

it.skipIf(process.platform !== "linux")(
  "a program gets no descriptor that Pawl's own caller left open",
  () => {
    promise("wall.holds");
    const script = `exec 200</ 37</etc "$0" --input-type=module -e "$1"`;
    const seen = execFileSync("bash", ["-c", script, process.execPath, START], { encoding: "utf8" });
    expect(seen).toMatch(/ 1 -> /);
    expect(seen.match(/ -> \/(?:etc)?$/gm)).toBeNull();
  },
);
