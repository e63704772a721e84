/** What differs between programs that speak ACP, by the name that each gives itself when it is asked. */
import { opencode } from "./opencode.ts";

export interface AcpProgram {
  /** The newest version with which Pawl was tried. */
  readonly newest?: string;
  /** It ends its turn at a refusal, so that its model does not hear of it: the next prompt says so. */
  readonly endsAtRefusal?: true;
  /** Its answer's tokens are those of all turns of its process, or of the last call alone, which do not count. */
  readonly tokens?: "process" | "last-call";
}

export const ACP_PROGRAMS: Readonly<Record<string, AcpProgram>> = {
  "@agentclientprotocol/claude-agent-acp": { newest: "0.101.0" },
  "@agentclientprotocol/codex-acp": { newest: "2.6.0" },
  Copilot: { newest: "1.0.102", endsAtRefusal: true, tokens: "process" },
  OpenCode: { ...(opencode.newest ? { newest: opencode.newest } : {}), tokens: "last-call" },
};
