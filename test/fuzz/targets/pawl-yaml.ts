import { parseFile } from "../../../src/config/config-file.ts";
import { PAWL_FILE } from "../../../src/config/config-schema.ts";
import type { Target } from "../target.ts";

export const pawlYaml: Target = {
  name: "pawl-yaml",
  seeds: [
    "alfred:\n  provider: local\n  reviews:\n    default: [ai, human]\n  checks:\n    test: npm test\nbloom:\n  agents: 2\nworkflows: [release.yaml]\nagents:\n  mine: {dialect: claude, command: claude}\n",
  ],
  run: (bytes) => parseFile("pawl.yaml", Buffer.from(bytes).toString("utf8"), PAWL_FILE),
};
