/** A run that waits for the runs that it began: what moves it meanwhile, and how it is shown. */
import { PawlError } from "../../../core/error.ts";
import { movingEvents } from "../../../engine/reach.ts";
import type { Reply } from "../../../runtime/module.ts";
import { isPersonHere } from "../../../runtime/transaction/person.ts";
import type { Answered, RunContext } from "../../../runtime/transaction/run-event.ts";
import { shown } from "../answers.ts";
import { GATHERED } from "../definition/definition.ts";
import type { OwnRun } from "../load-run.ts";
import type { BeginOrder } from "../run-file.ts";
import type { OwnSent, SendInput } from "../sent.ts";
import { beginWords } from "./begin-state.ts";
import { loadChildren } from "./children.ts";
import { beginRuns, type Send } from "./perform.ts";

/** Null: a person's event, which need not wait. */
export async function beginEvent(
  run: OwnRun,
  order: BeginOrder,
  wanted: string | undefined,
  context: RunContext<SendInput>,
  send: Send,
): Promise<OwnSent | Answered<Reply> | null> {
  const { input } = context;
  const { begun, gathered, held } = order.recorded;
  if (wanted !== undefined) {
    const { gates = {} } = run.loaded.definition;
    const isPersons =
      Object.hasOwn(gates, wanted) && movingEvents(run.workflow, run.configuration).includes(wanted);
    if (isPersons && (begun !== undefined || held !== undefined)) return null;
    throw new PawlError(
      "invalid-action",
      `${wanted} cannot be sent to ${run.run}: ${beginWords(order)}.`,
      `\`${GATHERED}\` follows once they rest; only a person's events come before it.`,
    );
  }
  if (begun === undefined)
    return {
      answer: held && !isPersonHere(context) ? shown(run, input) : await beginRuns(run, order, context, send),
    };
  const { all, value } = await loadChildren(run.file, { ...context, sources: run.sources });
  if (value === "open" || value === gathered) return { answer: shown(run, input, [], all) };
  return { event: GATHERED, byEngine: true, given: {}, gated: false, ended: null, gathered: value };
}
