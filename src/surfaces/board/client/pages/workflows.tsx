/** The workflows' tables as pictures, with their proofs, and a dry run of an event. */
import { useState } from "preact/hooks";
import type { Refused, TryAnswer, TryOrder, WorkflowsPage as WorkflowsAnswer } from "../../wire.ts";
import { post, projectPath, refusedOf } from "../api.ts";
import { MachinePicture } from "../graph/machine.tsx";
import { renderCount } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded, Problem, TitledLines } from "../notice.tsx";
import { Part } from "../part.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";

type Workflow = WorkflowsAnswer["workflows"][number];
type Table = Workflow["tables"][number];

export function WorkflowsPage({ project }: PageProps) {
  const page = useResource<WorkflowsAnswer>(projectPath(project, "workflows"), () => false);
  return (
    <>
      <Heading title="Workflows" />
      <Loaded from={page}>
        {({ workflows }) =>
          workflows.length === 0 ? (
            <Empty title="No workflow is set up here." command="pawl init" />
          ) : (
            workflows.map((workflow) => <One key={workflow.name} workflow={workflow} project={project} />)
          )
        }
      </Loaded>
    </>
  );
}

function One({ project, workflow }: { readonly workflow: Workflow; readonly project: string }) {
  return (
    <Part
      title={oneLine(workflow.title, 80)}
      side={<OneLine class="mono small quiet" text={workflow.name} max={60} />}
    >
      <div class="quiet">
        <Words text={workflow.summary} max={600} />
      </div>
      {workflow.problem && <Problem refused={workflow.problem} />}
      {workflow.tables.map((table) => (
        <OneTable key={table.machine.name} table={table} project={project} />
      ))}
    </Part>
  );
}

function OneTable({ project, table }: { readonly table: Table; readonly project: string }) {
  const { events, machine, proof } = table;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="table-box" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Badge tone={proof.holds ? "good" : "bad"}>{proof.holds ? "Proved" : "Faulty"}</Badge>
        <strong>
          <OneLine text={machine.title || machine.name} max={80} />
        </strong>
        <span class="quiet small">
          {renderCount(machine.states.length, "state")}, {renderCount(events.length, "event")}
        </span>
      </summary>
      {isOpen && (
        <>
          <ul class="proof">
            {proof.words.map((words, at) => (
              <li key={at} class={proof.holds ? "holds" : "fails"}>
                <Words text={words} max={600} />
              </li>
            ))}
          </ul>
          <MachinePicture machine={machine} at={null} />
          <Try project={project} table={table} />
        </>
      )}
    </details>
  );
}

function Try({ project, table }: { readonly project: string; readonly table: Table }) {
  const { events, facts, machine } = table;
  const [state, setState] = useState(machine.states[0]?.name ?? "");
  const [event, setEvent] = useState(events[0] ?? "");
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<TryAnswer | Refused | null>(null);
  const names = Object.keys(facts);
  const send = async () => {
    const values = Object.fromEntries(names.map((name) => [name, chosen[name] ?? facts[name]?.[0] ?? ""]));
    const order: TryOrder = { machine: machine.name, state, event, facts: values };
    setAnswer(await post<TryAnswer>(projectPath(project, "try"), order).catch(refusedOf));
  };
  return (
    <form
      class="try"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void send();
      }}
    >
      <h3>Try an event</h3>
      <p class="quiet small">The table shows what would happen; nothing changes.</p>
      <div class="try-fields">
        <Choose
          name="State"
          values={machine.states.map(({ name }) => name)}
          value={state}
          choose={setState}
        />
        <Choose name="Event" values={events} value={event} choose={setEvent} />
        {names.map((name) => (
          <Choose
            key={name}
            name={name}
            values={facts[name] ?? []}
            value={chosen[name] ?? facts[name]?.[0] ?? ""}
            choose={(value) => setChosen({ ...chosen, [name]: value })}
          />
        ))}
      </div>
      <button type="submit" class="primary">
        Try it
      </button>
      <div aria-live="polite">{answer && <Answer answer={answer} />}</div>
    </form>
  );
}

function Choose({
  choose,
  name,
  value,
  values,
}: {
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly choose: (value: string) => void;
}) {
  return (
    <label class="choose">
      <OneLine class="small quiet" text={name} max={60} />
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {values.map((each) => (
          <option key={each} value={each}>
            {oneLine(each, 80)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Answer({ answer }: { readonly answer: TryAnswer | Refused }) {
  if ("message" in answer) return <Problem refused={answer} />;
  return (
    <TitledLines
      lines={[
        ["Rule", <OneLine key="rule" class="mono" text={answer.rule} />],
        ["Leads to", <OneLine key="to" class="mono" text={answer.to} />],
        ["Outcome", answer.outcome],
      ]}
    />
  );
}
