/** What a person can do about a task, on its card and on its page: answer, speak, try again, take over, end. */
import { useState } from "preact/hooks";
import { type TaskDeed, taskDeeds } from "../../../runtime/board.ts";
import type { Done, Refused, Tasks, VerdictQuestion, WordsOrder } from "../wire.ts";
import { announce } from "./announce.ts";
import { post, projectPath, refusedOf, session } from "./api.ts";
import { Problem } from "./notice.tsx";
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
  const { asked, leave, problem, said, send } = useOrder(project);
  // A device answers, and does nothing else.
  const acts = session.value?.readOnly
    ? []
    : deeds.filter(({ act }) => act === "answer" || !session.value?.device);
  const press = async ({ act, isSure, words }: TaskDeed) => {
    if (words !== undefined) return setOpen(open === act ? null : act);
    if (isSure && sure !== act) return setSure(act);
    setSure(null);
    await send(act, about, "");
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
      {acts.map(({ act, label, words }) =>
        words !== undefined && open === act ? (
          <Speak
            key={act}
            project={project}
            name={act}
            about={about}
            asked={null}
            label={words}
            send={label}
          />
        ) : null,
      )}
      {asked && <Sure asked={asked} leave={leave} />}
      {said !== null && <p class="small good-words">{oneLine(said, 300)}</p>}
      {problem && <Problem refused={problem} />}
    </>
  );
}

interface Pending {
  readonly message: string;
  readonly confirm: () => void;
}

/** Sends an act; the server may ask once more before it counts. */
function useOrder(project: string) {
  const [asked, setAsked] = useState<Pending | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const send = async (name: string, about: string, words: string, hash?: string): Promise<boolean> => {
    setAsked(null);
    try {
      const order: WordsOrder = { words, ...(hash !== undefined && { asked: hash }) };
      const done = await post<Done | VerdictQuestion>(projectPath(project, name, about), order);
      setProblem(null);
      if ("asked" in done) {
        const { hash: own, message } = done.asked;
        setAsked({ message, confirm: () => void send(name, about, words, own) });
        return true;
      }
      setSaid(done.words);
      announce(done.words);
      return true;
    } catch (failure) {
      setProblem(refusedOf(failure));
      return false;
    }
  };
  return { asked, leave: () => setAsked(null), problem, said, send };
}

function Sure({ asked, leave }: { readonly asked: Pending; readonly leave: () => void }) {
  return (
    <div class="stale" role="group" aria-label="Before it counts">
      <Words text={asked.message} max={2_000} />
      <div class="buttons">
        <button type="button" class="primary" onClick={asked.confirm}>
          Yes
        </button>
        <button type="button" onClick={leave}>
          No
        </button>
      </div>
    </div>
  );
}

/** A form for words: an answer, a message to an agent, a reason. */
export function Speak({
  about,
  asked: question,
  label,
  name,
  project,
  send: verb,
}: {
  readonly name: string;
  readonly project: string;
  /** The question to answer, or the task. */
  readonly about: string;
  readonly asked: string | null;
  readonly label: string;
  readonly send: string;
}) {
  const [text, setText] = useState("");
  const { asked, leave, problem, said, send } = useOrder(project);
  const submit = async () => {
    if (text.trim() !== "" && (await send(name, about, text.trim()))) setText("");
  };
  return (
    <form
      class="speak"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {question !== null && (
        <blockquote class="said">
          <Words text={question} max={1_200} />
        </blockquote>
      )}
      {said !== null && <p class="small good-words">{oneLine(said, 300)}</p>}
      {!session.value?.readOnly && (
        <div class="speak-row">
          <label>
            <span class="unseen">
              {question === null ? `${label}: ${about}` : `Your answer to ${oneLine(question, 80)}`}
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
            {name === "interject" ? "Send" : verb}
          </button>
        </div>
      )}
      {asked && <Sure asked={asked} leave={leave} />}
      {problem && <Problem refused={problem} />}
    </form>
  );
}
