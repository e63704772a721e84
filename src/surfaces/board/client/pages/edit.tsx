/** A task as a person writes it: its keys in a form. The difference is shown before anything is saved. */
import { useState } from "preact/hooks";
import type { EditedTask, EditOrder } from "../../wire.ts";
import { announce } from "../announce.ts";
import { projectPath, session } from "../api.ts";
import { Heading, Loaded, Problem } from "../notice.tsx";
import { useOrder } from "../order.ts";
import { useResource } from "../resource.ts";
import { goTo, linkTo, type PageProps } from "../route.ts";
import { oneLine, Words } from "../words.tsx";

interface Field {
  /** Of the task; `budget.usd` is one of the budget's. */
  readonly key: string;
  readonly label: string;
  readonly kind: "line" | "text" | "list" | "number" | "flag";
}

const FIELDS: readonly Field[] = [
  { key: "title", label: "Title", kind: "line" },
  { key: "instructions", label: "Instructions", kind: "text" },
  { key: "acceptance_criteria", label: "Acceptance criteria, one a line", kind: "list" },
  { key: "verify", label: "Commands that check it, one a line", kind: "list" },
  { key: "checkpoint", label: "A person approves before anything leaves the workspace", kind: "flag" },
  { key: "depends_on", label: "It waits for these tasks, one a line", kind: "list" },
  { key: "agent", label: "Agent", kind: "line" },
  { key: "budget.usd", label: "Budget in USD", kind: "number" },
  { key: "budget.turns", label: "Budget in turns", kind: "number" },
  { key: "budget.minutes", label: "Budget in minutes", kind: "number" },
];

export function EditPage({ project, run }: PageProps) {
  const id = run.slice(run.indexOf(":") + 1);
  const task = useResource<EditedTask>(projectPath(project, "task", id), () => false);
  return (
    <>
      <Heading title={`Edit ${oneLine(id, 100)}`}>
        <a class="button" href={linkTo("run", project, run)}>
          Back
        </a>
      </Heading>
      <Loaded from={task}>
        {(data) => <Form key={data.seen} project={project} run={run} shown={data} />}
      </Loaded>
    </>
  );
}

/** A field's text; null: it cannot be edited here. */
function shownIn({ key, kind }: Field, definition: EditedTask["definition"]): string | null {
  const [name = "", part] = key.split(".", 2);
  const outer = definition[name] as Readonly<Record<string, unknown>> | undefined;
  const value = part === undefined ? outer : outer?.[part];
  if (kind !== "list") return value === undefined ? "" : String(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.some((item) => typeof item === "object" || String(item).includes("\n"))
    ? null
    : items.join("\n");
}

function keyValue({ kind }: Field, shown: string): unknown {
  const lines = shown.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  if (kind === "list") return lines.length === 0 ? null : lines;
  if (shown.trim() === "" || shown === "false") return null;
  return kind === "number" ? Number(shown) : kind === "flag" ? true : shown;
}

function Form({
  project,
  run,
  shown: { definition, seen, task },
}: Pick<PageProps, "project" | "run"> & { readonly shown: EditedTask }) {
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const { back, leave, problem, send } = useOrder<EditOrder>(({ words }) => {
    announce(words);
    goTo(linkTo("run", project, run));
  });
  const submit = (confirmed: Pick<EditOrder, "asked"> = {}) => {
    leave();
    const fields = FIELDS.filter(({ key }) => changed[key] !== undefined);
    const values = Object.fromEntries(
      fields.map((field) => [field.key, keyValue(field, changed[field.key] ?? "")]),
    );
    void send(projectPath(project, "edit", task), { values, seen, ...confirmed });
  };
  return (
    <form
      class="verdict-form edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {FIELDS.map((field) => (
        <Entry
          key={field.key}
          field={field}
          before={shownIn(field, definition)}
          change={(value) => {
            leave();
            setChanged({ ...changed, [field.key]: value });
          }}
        />
      ))}
      <p class="quiet small">
        Its steps and other keys: <code>pawl task edit {task}</code>
      </p>
      {problem && <Problem refused={problem} />}
      {back ? (
        <div class="part" role="group" aria-label="Before it is saved">
          <Words text={back.asked.message} isCode max={40_000} label="What would be changed" />
          <div class="buttons">
            <button type="button" class="primary" onClick={() => submit({ asked: back.asked.hash })}>
              Save
            </button>
            <button type="button" onClick={leave}>
              Change it further
            </button>
          </div>
        </div>
      ) : (
        !session.value?.readOnly && (
          <div class="buttons">
            <button type="submit" class="primary" disabled={Object.keys(changed).length === 0}>
              Show the difference
            </button>
          </div>
        )
      )}
    </form>
  );
}

function Entry({
  before,
  change,
  field: { key, kind, label },
}: {
  readonly field: Field;
  readonly before: string | null;
  readonly change: (value: string) => void;
}) {
  if (before === null)
    return (
      <p class="small">
        {label}: some of its items can only be edited with <code>pawl task edit</code>.
      </p>
    );
  if (kind === "flag")
    return (
      <label class="flag">
        <input
          type="checkbox"
          name={key}
          defaultChecked={before === "true"}
          onInput={({ currentTarget }) => change(String(currentTarget.checked))}
        />{" "}
        {label}
      </label>
    );
  const more = { name: key, defaultValue: before };
  const id = `edit-${key}`;
  return (
    <div>
      <label for={id}>{label}</label>
      {kind === "text" || kind === "list" ? (
        <textarea
          {...more}
          id={id}
          rows={kind === "text" ? 8 : 3}
          maxLength={100_000}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      ) : (
        <input
          {...more}
          id={id}
          pattern={kind === "number" ? "\\d*\\.?\\d+" : undefined}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </div>
  );
}
