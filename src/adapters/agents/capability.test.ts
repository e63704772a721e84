import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { end } from "../../../test/rig/project.ts";
import { inheritedMarks } from "./capability.ts";
import { MARK, markOf, markOfCgroup, runsOfMark } from "./mark.ts";

const LOOK = `import { inheritedMarks } from ${JSON.stringify(join(import.meta.dirname, "capability.ts"))};
  console.log(JSON.stringify(inheritedMarks(process.env)));`;
const LOOKS = '"$NODE" --input-type=module -e "$LOOK"';

/** What a look finds at the end of a shell script whose own environment has the variables. */
async function marksUnder(
  script: string,
  variables: Record<string, string> = {},
): Promise<readonly string[]> {
  const child = spawn("bash", ["-c", `${script}; true`], {
    env: { PATH: process.env.PATH, NODE: process.execPath, LOOK, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse((await end(child)).out);
}

it("finds no mark if no run is above", async () => {
  expect(inheritedMarks({ PATH: "/bin" })).toEqual([]);
  expect(await marksUnder(LOOKS)).toEqual([]);
});

it("finds a run's mark in its own environment, and in a parent's though its own is cleared", async () => {
  const mark = { [MARK]: "p.T1.1,p.T2.1" };
  expect(inheritedMarks(mark)).toEqual(["p.T1.1", "p.T2.1"]);
  expect(await marksUnder(LOOKS, mark)).toEqual(["p.T1.1", "p.T2.1"]);
  expect(await marksUnder(`env -u ${MARK} ${LOOKS}`, mark)).toEqual(["p.T1.1", "p.T2.1"]);
  expect(await marksUnder(`env -i setsid --wait ${LOOKS}`, mark)).toEqual(["p.T1.1", "p.T2.1"]);
  expect(await marksUnder(`${MARK}=p.T9.9 ${LOOKS}`, mark)).toEqual(["p.T9.9", "p.T1.1", "p.T2.1"]);
});

it("reports which runs of a project a mark names", () => {
  const value = `${markOf("/a", "T1.1")},${markOf("/b", "T2.1")}`;
  expect(runsOfMark("/a", value)).toEqual(["T1.1"]);
  expect(runsOfMark("/b", value)).toEqual(["T2.1"]);
  expect(runsOfMark("/c", value)).toEqual([]);
});

it("reads the marks of the cgroups that a process is in", () => {
  expect(markOfCgroup("0::/user.slice\n")).toBe("");
  expect(markOfCgroup("1:cpu:/pawl.no\n0::/a/pawl.ab.T1.1/pawl.cd.T2.1/inner\n")).toBe("ab.T1.1,cd.T2.1");
});
