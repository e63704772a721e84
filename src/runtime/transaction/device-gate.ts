/**
 * A verdict from a device of `pawl board --listen`.
 *
 * P1  An approval counts only with the device's passkey: an assertion over the hash of exactly this verdict,
 *     compared again at the commit. Anything that changed meanwhile is asked anew.
 * P2  A rejection needs none, since it opens nothing.
 * P3  A device signs no record and agrees to nothing else: that needs the machine itself.
 */
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { type GateLevel, isSignedLevel } from "../../core/strength.ts";
import { askedIn, type Context, type Proposal, type ShownQuestion, type Verdict } from "./transaction.ts";

type Asking = Pick<Context, "caller" | "answered">;

/**
 * The proposal ready to commit, or the question that the device's passkey must answer. `foresee`: proposes as
 * if the question had been answered. Throws `verdict-too-weak` and `caller-not-allowed`.
 */
export async function atDeviceGate<R>(
  proposal: Proposal<R>,
  { answered }: Asking,
  {
    foresee,
    level,
  }: {
    readonly foresee: (to: ShownQuestion) => Promise<Proposal<R>>;
    readonly level: (verdict: Verdict) => Promise<GateLevel>;
  },
): Promise<Proposal<R>> {
  const { ask } = proposal;
  const to = ask ? askedIn(ask) : typeof answered === "object" ? answered.to : undefined;
  const { verdict } = ask && to ? await foresee(to) : proposal;
  if (!verdict) {
    if (!ask && to) throw notFromDevicesError();
    return proposal;
  }
  const wanted = await level(verdict);
  if (isSignedLevel(wanted)) throw unsignedVerdictError(verdict, wanted);
  if (!verdict.approve) return proposal;
  const shown = to ?? { message: `You approve ${verdict.gate} of ${verdict.run}.` };
  const bound = boundOf(verdict, shown);
  if (!ask && typeof answered === "object" && answered.passkey === bound) return proposal;
  return { ...proposal, ask: { ...ask, ...shown, passkey: bound } };
}

/** Out-of-scope edits are not part of it: who asks for the assertion adds them. */
function boundOf(verdict: Verdict, { message }: ShownQuestion): string {
  const { strength: _, ...judged } = verdict;
  return hashOf(canonical(JSON.parse(JSON.stringify({ ...judged, message }))));
}

function unsignedVerdictError({ approve, gate, run }: Verdict, level: GateLevel): PawlError {
  return new PawlError(
    "verdict-too-weak",
    `The gate ${gate} of ${run} wants a signed verdict (\`gates\`: ${level}), and a device signs nothing: what it decides is recorded as \`passkey\` at most. Nothing was changed.`,
    `Run \`pawl ${approve ? "approve" : "reject"} ${run}\` in a terminal, or decide on the board at the machine.`,
  );
}

function notFromDevicesError(): PawlError {
  return new PawlError(
    "caller-not-allowed",
    "A device cannot agree to this. Nothing was changed.",
    "Run the command of the same name in a terminal, or use the board at the machine.",
  );
}
