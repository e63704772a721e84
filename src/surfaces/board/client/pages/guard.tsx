/** What the guard denied, or saw stray, and which of its layers caught it. */
import { useState } from "preact/hooks";
import type { GuardPage as GuardAnswer } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { Clock } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps } from "../route.ts";
import { OneLine, Words } from "../words.tsx";

export function GuardPage({ project }: PageProps) {
  const guard = useResource<GuardAnswer>(projectPath(project, "guard"), (event) => event.project === project);
  return (
    <>
      <Heading title="Guard">
        {guard.data && (
          <Badge tone={guard.data.proved === null ? "warn" : "good"}>
            {guard.data.proved === null ? "Off" : "On"}
          </Badge>
        )}
      </Heading>
      <Loaded from={guard}>
        {({ denials, proved }) => (
          <>
            {proved === null ? (
              <Empty title="The guard is off in this project." command="pawl init --guard">
                Agents keep to the workflow by its gates alone. With the guard, each edit and command is
                checked where it is made:
              </Empty>
            ) : (
              <div class="proved">
                <Words text={proved} max={2_000} />
              </div>
            )}
            {denials.length > 0 ? (
              <Denials denials={denials} project={project} />
            ) : (
              proved !== null && <Empty title="Nothing was denied, and nothing strayed." />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Denials({ denials, project }: Pick<GuardAnswer, "denials"> & { readonly project: string }) {
  const layers = [...new Set(denials.map(({ layer }) => layer))];
  const [only, setOnly] = useState<string | null>(null);
  const [most, setMost] = useState(100);
  const shown = denials.filter(({ layer }) => only === null || layer === only);
  return (
    <section class="part" aria-label="What was denied">
      <div class="part-head">
        <h2>What was denied</h2>
        {layers.length > 1 && (
          <fieldset class="switch">
            <legend class="unseen">Which layer</legend>
            {[null, ...layers].map((layer) => (
              <button key={layer} type="button" aria-pressed={layer === only} onClick={() => setOnly(layer)}>
                {layer === null ? "All" : <OneLine text={layer} max={30} />}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <ol class="timeline">
        {shown.slice(0, most).map(({ layer, run, time, words }, at) => (
          <li key={at}>
            <span class="small quiet time">
              <Clock time={time} />
            </span>
            <div>
              <Words text={words} max={600} />
              <p class="small quiet about">
                <Badge tone="warn">
                  <OneLine text={layer} max={40} />
                </Badge>
                {run !== null && (
                  <a class="mono" href={linkTo("run", project, run)}>
                    <OneLine text={run} max={80} />
                  </a>
                )}
              </p>
            </div>
          </li>
        ))}
      </ol>
      {shown.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + 500)}>
          Show more ({shown.length - most})
        </button>
      )}
    </section>
  );
}
