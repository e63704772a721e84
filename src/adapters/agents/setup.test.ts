import { expect, it } from "vitest";
import { knownAgent } from "./setup.ts";

it("an agent's program is a name on the PATH, or a path: absolute, from the person's home, or from the project", () => {
  const begins = (program: string) => {
    const setup = { projectRoot: "/p", environment: { HOME: "/home/ann" }, agents: { claude: { program } } };
    const known = knownAgent(setup as unknown as Parameters<typeof knownAgent>[0], "claude");
    return known.kind === "none" ? known.why : known.command[0];
  };
  expect(["mine", "/opt/mine", "~/bin/mine", "bin/mine", "./mine"].map(begins)).toEqual([
    ...["mine", "/opt/mine", "/home/ann/bin/mine", "/p/bin/mine", "/p/mine"],
  ]);
});
