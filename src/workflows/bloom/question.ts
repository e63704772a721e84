/** Agents' questions to people, and people's messages to agents: one small file each. */
import { PawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";

export interface Question {
  readonly id: string;
  readonly task: string;
  readonly text: string;
  readonly blocking: boolean;
  readonly asked: string;
  readonly answer: string | null;
  readonly answered: string | null;
}

/** A message for a task's agent. `at once`: Pawl stops the agent's run to deliver it. */
export interface Message {
  readonly path: ProjectPath;
  readonly task: string;
  readonly text: string;
  readonly atOnce: boolean;
  readonly time: string;
}

export const QUESTIONS = projectPath(".pawl/questions");
export const INBOX = projectPath(".pawl/inbox");

function questionPath(id: string): ProjectPath {
  return projectPath(QUESTIONS, `${id}.json`);
}

export function newQuestion(
  questions: readonly Question[],
  question: Pick<Question, "blocking" | "task" | "text">,
  time: string,
): Question {
  const id = `q${Math.max(0, ...questions.map(numberOf)) + 1}`;
  return { id, ...question, asked: time, answer: null, answered: null };
}

export function questionAsked({ blocking, id, task, text }: Question) {
  return { type: "question:asked" as const, taskId: task, questionId: id, text, blocking };
}

export function writeQuestion(question: Question) {
  return {
    type: "write" as const,
    path: questionPath(question.id),
    text: `${JSON.stringify(question, null, 2)}\n`,
  };
}

export async function loadQuestions(view: View): Promise<readonly Question[]> {
  return (await loadFolder<Question>(view, QUESTIONS))
    .map(({ value }) => value)
    .sort((a, b) => numberOf(a) - numberOf(b));
}

function numberOf({ id }: Question): number {
  return Number(id.slice(1));
}

/** The messages for a task, oldest first. */
export async function loadMessages(view: View, task: string): Promise<readonly Message[]> {
  const messages = await loadFolder<Omit<Message, "path">>(view, INBOX);
  return messages
    .map(({ path, value }) => ({ ...value, path }))
    .filter((message) => message.task === task)
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

/** Messages that the task's agent never received, as notes. Answers are kept with their questions instead. */
export function undeliveredNotes(
  messages: readonly Message[],
  delivered: readonly string[] = [],
): readonly string[] {
  return messages.flatMap(({ atOnce, path, text }) =>
    atOnce && !delivered.includes(path) ? [`said after its agent's last run: ${text}`] : [],
  );
}

export function messagePath(id: string): ProjectPath {
  return projectPath(INBOX, `${id}.json`);
}

async function loadFolder<T>(
  view: View,
  folder: ProjectPath,
): Promise<readonly { path: ProjectPath; value: T }[]> {
  const entries: { path: ProjectPath; value: T }[] = [];
  for (const { name, kind } of await view.list(folder)) {
    if (kind !== "file" || !name.endsWith(".json")) continue;
    const path = projectPath(folder, name);
    const text = await view.read(path);
    if (text !== null) entries.push({ path, value: parse<T>(path, text) });
  }
  return entries;
}

function parse<T>(path: ProjectPath, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new PawlError(
      "state-unreadable",
      `${path} is not valid JSON: ${(error as Error).message}.`,
      `Correct or delete ${path}.`,
      error,
    );
  }
}
