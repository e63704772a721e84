/** Recognises a limited or refused account by the agent's own last event. */
import type { Limited } from "../../../core/ports/agents.ts";
import { type Fault, shortLine } from "./dialect.ts";
import { resetIn } from "./reset-time.ts";

/** Null: the failure is the run's own. `program`: the agent's usual name. */
export function limitedBy(fault: Fault | null, program: string, now: Date): Limited | null {
  if (fault?.reason === "account")
    return { words: shortLine(fault.detail), resets: null, mend: mendOf(fault.refuses ?? "key", program) };
  if (fault?.reason !== "rate-limit") return null;
  const words = shortLine(fault.detail);
  const fields = (fault.fields ?? []).flatMap((each) => resetIn(each, now) ?? []);
  const [reset] = fault.resets === undefined ? fields : [new Date(fault.resets)];
  if (reset !== undefined) return { words, resets: reset.toISOString() };
  const at = resetIn(fault.detail, now);
  return at === null ? { words, resets: null } : { words, resets: at.toISOString(), byWords: true };
}

const LOGIN: Readonly<Record<string, string>> = {
  claude: "run `claude /login`, or set another ANTHROPIC_API_KEY",
  codex: "run `codex login`, or set another OPENAI_API_KEY",
  gemini: "set another GEMINI_API_KEY, or sign in with `gemini`",
  opencode: "run `opencode auth login`",
};

/** The fix, for a person. */
function mendOf(refuses: NonNullable<Fault["refuses"]>, program: string): string {
  if (refuses === "credit") return "its account has no credit left: add some, then run `pawl run` again";
  if (refuses === "model")
    return `it has no such model: name another in pawl.yaml (\`agents: {${program}: {model: NAME}}\`), then run \`pawl run\` again`;
  return `the service refuses its login: ${LOGIN[program] ?? `log in to ${program} again`}, then run \`pawl run\` again`;
}
