import { PawlError } from "../../../core/error.ts";
import type { View } from "../../../core/ports/store.ts";
import { nearestFew } from "../../../core/text/nearest.ts";
import type { Context } from "../../../runtime/module.ts";
import { taskOf } from "../../../tasks-file/load.ts";
import {
  loadQuestions,
  messagePath,
  newQuestion,
  type Question,
  questionAsked,
  writeQuestion,
} from "../question.ts";
import { ruleOf } from "../run/life.ts";
import { OVER, startsAgent } from "../run/table.ts";
import type { TaskRun } from "../run/task-run.ts";
import { sendEvent } from "./person.ts";
import { isAgentCall } from "./persons-word.ts";
import { changing, loadSnapshot, readOnly, type Snapshot } from "./snapshot.ts";

interface QuestionSnapshot extends Snapshot {
  readonly questions: readonly Question[];
}

async function read(view: View, context: Context): Promise<QuestionSnapshot> {
  return { ...(await loadSnapshot(view, context)), questions: await loadQuestions(view) };
}

/** `ask TASK TEXT [--blocking]` */
export const ask = changing(
  read,
  (
    { file, questions }: QuestionSnapshot,
    { task, text, blocking }: { readonly task: string; readonly text: string; readonly blocking?: boolean },
    { now },
  ) => {
    const { id: known } = taskOf(file.tasks, task);
    if (text.trim() === "")
      throw new PawlError("usage", "The question is empty.", "Give the question's text.");
    const question = newQuestion(questions, { task: known, text, blocking: blocking === true }, now.time);
    const then = question.blocking
      ? "End your turn now: you are resumed with the answer."
      : "Continue; the answer reaches you later.";
    return {
      text: `Asked as ${question.id}. ${then}`,
      data: { question },
      ...(question.blocking ? { waits: true as const } : {}),
      changes: [writeQuestion(question)],
      events: [questionAsked(question)],
    };
  },
);

/** `answer QUESTION TEXT` */
export const answer = changing(
  read,
  (
    snapshot: QuestionSnapshot,
    { question: id, text }: { readonly question: string; readonly text: string },
    context,
  ) => {
    const question = snapshot.questions.find((each) => each.id === id);
    if (!question) throw unknownQuestionError(id, snapshot.questions);
    if (isAgentCall(context))
      throw new PawlError(
        "caller-not-allowed",
        `${id} is a question to a person, and this answer comes from an agent. Nothing was changed.`,
        `A person answers it with \`bloom answer ${id} "…"\` in a terminal of their own.`,
      );
    if (question.answer !== null)
      return { text: `${id} is answered already: ${question.answer}`, data: { question }, refused: true };
    const answered = { ...question, answer: text, answered: context.now.time };
    const by = context.caller.who ?? context.caller.channel;
    const events = [
      { type: "question:answered", taskId: question.task, questionId: id, answer: text, by },
    ] as const;
    const write = writeQuestion(answered);
    const run = snapshot.runs.get(question.task);
    const open = snapshot.questions.filter(
      (each) => each.task === question.task && each.blocking && each.answer === null && each.id !== id,
    );
    const awaits = String(run?.kept.awaits ?? "");
    const waits =
      run &&
      snapshot.states.has(question.task) &&
      run.state === "waiting_for_human" &&
      awaits.startsWith("answer");
    if (!waits || open.length > 0) {
      const message = {
        task: question.task,
        text: questionAnswered(answered),
        atOnce: false,
        time: context.now.time,
      };
      return {
        text:
          open.length > 0
            ? `Answered ${id}; ${question.task} still waits for ${open.map((each) => each.id).join(", ")}.`
            : `Answered ${id}.`,
        data: { question: answered },
        changes: [write, { type: "write", path: messagePath(id), text: `${JSON.stringify(message)}\n` }],
        events,
      };
    }
    const next = sendEvent(
      snapshot,
      taskOf(snapshot.file.tasks, question.task),
      run,
      { event: "answered" },
      context,
      questionAnswered(answered),
    );
    return {
      text: `Answered ${id}; ${question.task} continues.`,
      data: { question: answered, ...next.data },
      edits: next.edits ?? [],
      changes: [write, ...(next.changes ?? [])],
      events: [...events, ...(next.events ?? [])],
    };
  },
);

export function questionAnswered({ text, answer: said }: Question): string {
  return `You asked: ${text}\nThe answer: ${said}`;
}

/** `questions`: open questions first. */
export const questions = readOnly(
  read,
  ({ questions: all }: QuestionSnapshot, { task }: { readonly task?: string }) => {
    const shown = all.filter((each) => task === undefined || each.task === task);
    const lines = shown.map(
      (each) =>
        `${each.id}  ${each.task}  ${each.answer === null ? (each.blocking ? "waits" : "open") : "answered"}  ${each.text}`,
    );
    return { text: lines.length === 0 ? "No questions." : lines.join("\n"), data: { questions: shown } };
  },
);

const NOT_WORKED_ON: ReadonlySet<string> = new Set([...OVER, "blocked", "budget_exhausted"]);

/**
 * `interject TASK TEXT`: stops its agent at once and resumes it with the text. If no run can follow, the text
 * is kept, and the reply reports that.
 */
export const interject = changing(
  read,
  (snapshot: QuestionSnapshot, { task, text }: { readonly task: string; readonly text: string }, { now }) => {
    const { id } = taskOf(snapshot.file.tasks, task);
    if (text.trim() === "")
      throw new PawlError("usage", "There is nothing to say.", "Give the text as an argument.");
    const state = snapshot.states.get(id);
    if (state === undefined || NOT_WORKED_ON.has(state))
      return {
        text: `${id} is not being worked on${state ? `: it is ${state}` : ""}. Leave a note instead: \`bloom note ${id} "…"\`.`,
        data: { task: id, state: state ?? null },
        refused: true,
      };
    const message = { task: id, text, atOnce: true, time: now.time };
    return {
      text: mayRun(snapshot.runs.get(id))
        ? `${id}'s agent gets it now.`
        : `No agent of ${id} runs now: it is ${state}. Saved; delivered on the agent's next run (\`bloom show ${id}\`).`,
      data: { task: id, text, state },
      changes: [{ type: "write", path: messagePath(now.id), text: `${JSON.stringify(message)}\n` }],
      events: [{ type: "task:interjected", taskId: id, text }],
    };
  },
);

/** Whether its agent runs, or will run as soon as a worker resumes it. */
function mayRun(run: TaskRun | undefined): boolean {
  const row = run && ruleOf(run);
  return row !== undefined && startsAgent(row);
}

function unknownQuestionError(id: string, all: readonly Question[]): PawlError {
  const open = all.filter((each) => each.answer === null).map((each) => each.id);
  const near = nearestFew(id, open);
  return new PawlError(
    "usage",
    `No question has the id ${JSON.stringify(id.slice(0, 100))}. ${near.length > 0 ? `Nearest: ${near.join(", ")}.` : "None is open."}`,
    "Use an id that `bloom questions` shows.",
  );
}
