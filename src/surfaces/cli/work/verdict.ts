import { PawlError } from "../../../core/error.ts";
import { findGate } from "../../../runtime/review/give-verdict.ts";
import { type Point, parsePlace, withPoints } from "../../../runtime/review/points.ts";
import { type Receipt, receiptOf } from "../../../runtime/review/receipt.ts";
import type { Call, Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";
import { loadGuardProof } from "../project/guard-proof.ts";
import { runAsking } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

export const approve: Run = verdict(true);
export const reject: Run = verdict(false);

/** Records a person's verdict, given at the terminal, on what the run has under review. */
function verdict(isApproval: boolean): Run {
  return async (host, call) => {
    const project = await host.projects.open();
    const points = pointsOf(call);
    const { module, run, id, plan } = await findGate(project, String(call.arguments.run));
    const { block, notes } = call.options;
    if (block === true && !module.board)
      throw new PawlError(
        "usage",
        `--block is for tasks of Bloom: ${run} is not one.`,
        "Reject it without --block.",
      );
    const said = typeof notes === "string" ? notes : "";
    const given = points.length > 0 ? withPoints(said, points) : notes;
    const input = {
      id,
      approve: isApproval,
      ...(typeof given === "string" ? { notes: given } : {}),
      ...(block === true && { block }),
    };
    const guardWords = async () => (await loadGuardProof(host, project))?.words ?? null;
    const proposal = await runAsking(host, project.runtime, plan, input, guardWords);
    const { reply } = proposal;
    const receipt = receiptOf(proposal);
    const { message } = reply.data;
    if (reply.refused) return answerOf(reply);
    const isMessage = typeof message === "string";
    const decided = isMessage ? `${clean(message).trimEnd()}\n` : answerOf(reply).text;
    const next = isMessage ? "Tell your assistant to continue.\n" : "";
    const shown = receipt === null ? "" : renderReceipt(receipt, points.length);
    const answer = answerOf(receipt === null ? reply : { ...reply, data: { ...reply.data, receipt } });
    return { ...answer, text: `${decided}${shown}${next}` };
  };
}

/** The points: `--at PLACE TEXT`, any number of times. */
function pointsOf({ options }: Call): readonly Point[] {
  const words = Array.isArray(options.at) ? (options.at as readonly string[]) : [];
  if (words.length % 2 !== 0)
    throw new PawlError(
      "usage",
      `--at takes a place and a text: expected pairs of them, found ${words.length} ${words.length === 1 ? "word" : "words"}.`,
      'Name the run first, then write --at src/server.ts:12 "What is wrong there", for each point.',
    );
  return Array.from({ length: words.length / 2 }, (_, at): Point => {
    const [place = "", text = ""] = words.slice(2 * at);
    if (place.trim() !== "" && text.trim() !== "") return { text, at: parsePlace(place) };
    throw new PawlError(
      "usage",
      `--at takes a place and a text: found ${JSON.stringify(place)} and ${JSON.stringify(text)}.`,
      'Write --at src/server.ts:12 "What is wrong there", or --at "field risk_analysis" "What is missing".',
    );
  });
}

function renderReceipt(receipt: Receipt, points: number): string {
  const { approved, artifact, by, channel, gate, record, run, time, work, worth } = receipt;
  const lines = [
    ["decided", `${approved ? "approved" : "rejected"}, at the gate ${gate} of ${run}`],
    ["by", `${by}${by === channel ? "" : ` (${channel})`}, at ${time}`],
    ["worth", worth],
    ...(artifact === null ? [] : [["artifact", `sha256 ${artifact}`]]),
    ...(work === null ? [] : [["work", work]]),
    ...(record === null ? [] : [["record", record]]),
    ...(points === 0 ? [] : [["points", `${points}, for whoever does it again`]]),
  ];
  return lines.map(([name = "", words = ""]) => `  ${name.padEnd(8)}  ${clean(words)}\n`).join("");
}
