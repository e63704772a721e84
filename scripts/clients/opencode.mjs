// Brings Pawl's server, skills, commands and guard to OpenCode. What your project or your own configuration says of the same name
// counts.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Pawl } from "./guard.mjs";

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const COMMANDS = JSON.parse(readFileSync(beside("commands.json"), "utf8"));

export default {
  id: "pawl",
  server: async (place) => {
    const guard = await Pawl(place);
    const bring = async (config) => {
      await guard.config(config);
      const server = { type: "local", command: ["node", beside("pawl.mjs"), "mcp"], enabled: true };
      config.mcp = { pawl: server, ...config.mcp };
      config.command = { ...COMMANDS, ...config.command };
      config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), beside("skills")] };
    };
    return { ...guard, config: bring };
  },
};
