/** What a person can do about a task, on its card and on its page: answer, speak, try again, take over, end. */
import { useState } from "preact/hooks";
import { type TaskDeed, taskDeeds } from "../../../runtime/board.ts";
import type { Tasks, WordsOrder } from "../wire.ts";
import { announce } from "./announce.ts";
import { projectPath, session } from "./api.ts";
import { Problem } from "./notice.tsx";
import { useOrder } from "./order.ts";
import { linkTo } from "./route.ts";
import { oneLine, Words } from "./words.tsx";

type Card = Tasks["tasks"][number];

export function TaskActs({ project, task }: { readonly project: string; readonly task: Card }) {
  return (
    <>
      {task.questions.map(({ id, text }) => (
        <Speak
          key={id}
          project={project}
          name="answer"
          about={id}
          asked={text}
          label="Your answer"
          send="Answer"
        />
      ))}
      {task.awaitsVerdict && (
        <a class="button" href={linkTo("review", project, task.run)}>
          Review<span class="unseen"> {oneLine(task.title || task.id, 80)}</span>
        </a>
      )}
      <Deeds project={project} about={task.id} deeds={taskDeeds(task)} />
    </>
  );
}

interface DeedsProps {
  readonly project: string;
  /** The task's id, or the run's name. */
  readonly about: string;
  readonly deeds: readonly TaskDeed[];
}

export function Deeds({ about, deeds, project }: DeedsProps) {
  const [open, setOpen] = useState<string | null>(null);
  const [sure, setSure] = useState<string | null>(null);
  const { act, outcome } = useAct(project);
  // A device answers, and does nothing else.
  const acts = session.value?.readOnly
    ? []
    : deeds.filter((deed) => deed.act === "answer" || !session.value?.device);
  const press = async ({ act: name, isSure, words }: TaskDeed) => {
    if (words !== undefined) return setOpen(open === name ? null : name);
    if (isSure && sure !== name) return setSure(name);
    setSure(null);
    await act(name, about, "");
  };
  return (
    <>
      {acts.length > 0 && (
        <div class="buttons small">
          {acts.map((deed) => (
            <button
              key={deed.act}
              type="button"
              class={deed.isSure ? "plain danger" : "plain"}
              aria-expanded={deed.words === undefined ? undefined : open === deed.act}
              onBlur={() => setSure(null)}
              onClick={() => void press(deed)}
            >
              {sure === deed.act ? "Really stop it?" : deed.label}
              <span class="unseen"> {about}</span>
            </button>
          ))}
        </div>
      )}
      {acts.map(
        ({ act: name, label, words }) =>
          words !== undefined &&
          open === name && (
            <Speak key={name} project={project} name={name} about={about} label={words} send={label} />
          ),
      )}
      {outcome}
    </>
  );
}

/** Sends an act. `outcome`: its result, or the question that the server asks first. */
function useAct(project: string) {
  const [result, setResult] = useState<string | null>(null);
  const { back, leave, problem, send } = useOrder<WordsOrder>(({ words }) => {
    setResult(words);
    announce(words);
  });
  const confirm = ({ asked, order, path }: NonNullable<typeof back>) =>
    void send(path, { ...order, asked: asked.hash });
  const outcome = (
    <>
      {back && (
        <div class="stale" role="group" aria-label="Before it counts">
          <Words text={back.asked.message} max={2_000} />
          <div class="buttons">
            <button type="button" class="primary" onClick={() => confirm(back)}>
              Yes
            </button>
            <button type="button" onClick={leave}>
              No
            </button>
          </div>
        </div>
      )}
      {result !== null && <p class="small good-words">{oneLine(result, 300)}</p>}
      {problem && <Problem refused={problem} />}
    </>
  );
  const act = (name: string, about: string, words: string) =>
    send(projectPath(project, name, about), { words });
  return { act, outcome };
}

interface SpeakProps {
  readonly name: string;
  readonly project: string;
  /** The question to answer, or the task. */
  readonly about: string;
  /** The question's text. */
  readonly asked?: string;
  readonly label: string;
  readonly send: string;
}

/** A form for words: an answer, a message to an agent, a reason. */
export function Speak({ about, asked: question, label, name, project, send }: SpeakProps) {
  const [text, setText] = useState("");
  const { act, outcome } = useAct(project);
  const submit = async () => {
    if (text.trim() !== "" && (await act(name, about, text.trim()))) setText("");
  };
  return (
    <form
      class="speak"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {question !== undefined && (
        <blockquote class="said">
          <Words text={question} max={1_200} />
        </blockquote>
      )}
      {!session.value?.readOnly && (
        <div class="speak-row">
          <label>
            <span class="unseen">
              {question === undefined ? `${label}: ${about}` : `Your answer to ${oneLine(question, 80)}`}
            </span>
            <textarea
              rows={2}
              maxLength={20_000}
              placeholder={label}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onKeyDown={(pressed) => {
                if (pressed.key === "Enter" && (pressed.ctrlKey || pressed.metaKey)) void submit();
              }}
            />
          </label>
          <button type="submit" class="primary" disabled={text.trim() === ""}>
            {name === "interject" ? "Send" : send}
          </button>
        </div>
      )}
      {outcome}
    </form>
  );
}
