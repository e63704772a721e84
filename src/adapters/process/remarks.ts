/** What Pawl says below the output of a command that failed. */
import { OWN_LINE } from "../../core/ports/commands.ts";

export const WITHOUT_SETUP = `${OWN_LINE}In a fresh checkout, files that git ignores, such as installed packages, are missing unless \`setup\` in pawl.yaml makes them.`;
const BEHIND_THE_WALL = `${OWN_LINE}This ran behind the wall: HOME and /tmp are empty, and it may write only its own folder. If it needs more, name that in \`sandbox.read\` and \`sandbox.write\` of pawl.yaml.`;

/** `lacksSetup`: it ran in a checkout for which the project names no `setup`. */
export function remarksOn({ isWalled, lacksSetup }: Readonly<Record<"isWalled" | "lacksSetup", boolean>>) {
  return [...(lacksSetup ? [WITHOUT_SETUP] : []), ...(isWalled ? [BEHIND_THE_WALL] : [])];
}
