/** Which task waits for which: the connected ones as a picture, the others as a list. */
import type { Tasks } from "../../wire.ts";
import { linkTo } from "../route.ts";
import { oneLine } from "../words.tsx";
import { Picture } from "./picture.tsx";

type Card = Tasks["tasks"][number];

const MAX_SHOWN = 150;

interface DependenciesProps {
  readonly project: string;
  readonly tasks: readonly Card[];
  /** Shows these, with what they wait for or hold up; null: all that is open, with what it waits for. */
  readonly isFound: ((task: Card) => boolean) | null;
}

export function Dependencies({ isFound, project, tasks }: DependenciesProps) {
  const known = new Set(tasks.map(({ id }) => id));
  const edges = tasks.flatMap(({ dependsOn, id }) =>
    dependsOn.filter((from) => known.has(from)).map((from) => ({ from, to: id, label: "" })),
  );
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const isWanted = isFound ?? (({ column }: Card) => column !== "done");
  const wanted = new Set(tasks.filter(isWanted).map(({ id }) => id));
  const near = new Set(
    edges.flatMap(({ from, to }) => [
      ...(wanted.has(to) ? [from] : []),
      ...(isFound !== null && wanted.has(from) ? [to] : []),
    ]),
  );
  const rank = ({ id }: Card) => Number(!wanted.has(id));
  const shown = tasks
    .filter(({ id }) => linked.has(id) && (wanted.has(id) || near.has(id)))
    .sort((one, other) => rank(one) - rank(other));
  const apart = tasks.filter(({ id }) => wanted.has(id) && !linked.has(id));
  return (
    <>
      {shown.length > MAX_SHOWN && (
        <p class="quiet small">
          {MAX_SHOWN} of {shown.length} connected tasks: search to see others.
        </p>
      )}
      {shown.length === 0 ? (
        <p class="quiet">None waits for another.</p>
      ) : (
        <Picture
          name="What waits for what"
          direction="LR"
          nodes={shown.slice(0, MAX_SHOWN).map((task) => ({
            id: task.id,
            label: task.title || task.id,
            kind: task.column,
            title: `${task.id}: ${task.title} (${task.state})`,
            href: linkTo("run", project, task.run),
          }))}
          edges={edges}
        />
      )}
      {apart.length > 0 && <Apart project={project} tasks={apart} />}
    </>
  );
}

function Apart({ project, tasks }: Omit<DependenciesProps, "isFound">) {
  return (
    <section class="apart" aria-label="Not connected">
      <h2>
        Not connected <span class="count">{tasks.length}</span>
      </h2>
      <ul>
        {tasks.slice(0, MAX_SHOWN).map(({ id, run, title }) => (
          <li key={id}>
            <a href={linkTo("run", project, run)}>{oneLine(title || id, 160)}</a>
          </li>
        ))}
      </ul>
      {tasks.length > MAX_SHOWN && (
        <p class="quiet small">The first {MAX_SHOWN} of these: search to see others.</p>
      )}
    </section>
  );
}
