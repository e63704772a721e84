/** The first screen: what speaks for and against the work, each with the way to its place. */
import { namedBy, REQUESTS } from "../../../../runtime/review/brief.ts";
import type { Brief as BriefData } from "../../../../runtime/review/model.ts";
import { Badge, type Tone } from "../notice.tsx";
import { OneLine, oneLine, Words } from "../words.tsx";

const TONES: Readonly<Record<BriefData["chips"][number]["tone"], Tone>> = {
  ...{ bad: "bad", open: "warn", warn: "warn", good: "good" },
};

export function Brief({ brief }: { readonly brief: BriefData }) {
  const { chips, criteria, files, last, said } = brief;
  return (
    <>
      {chips.length > 0 && (
        <ul class="chips" aria-label="At a glance">
          {chips.map(({ place, tone, words }) => (
            <li key={words}>
              <button type="button" class={`badge ${TONES[tone]} chip`} onClick={() => goToPlace(place)}>
                <OneLine text={words} max={80} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <dl class="brief">
        {criteria.length > 0 && (
          <Row title="Task" place="criteria">
            {criteria.map(({ check, speaks, text }, at) => (
              <li key={at}>
                <Words text={text} max={300} />
                <p class="small quiet">
                  <Badge tone={TONES[check.tone]}>
                    <OneLine text={check.words} max={120} />
                  </Badge>{" "}
                  <OneLine text={namedBy(speaks).join()} />
                </p>
              </li>
            ))}
          </Row>
        )}
        {said.length > 0 && (
          <Row title="Agent" place="said">
            {said.map(({ differs, text, title }, at) => (
              <li key={at}>
                <span class="quiet small">{oneLine(title, 80)}</span>
                <Words text={text} max={400} />
                {differs !== null && (
                  <p class="small">
                    <Badge tone="bad">Differs</Badge> <OneLine text={differs} />
                  </p>
                )}
              </li>
            ))}
          </Row>
        )}
        {last.length > 0 && (
          <Row title="Last time" place="last">
            {last.map(({ became, is, text }, at) => (
              <li key={at}>
                <Words text={text} max={300} />
                <Badge tone={TONES[REQUESTS[is]]}>
                  <OneLine text={became} max={120} />
                </Badge>
              </li>
            ))}
          </Row>
        )}
        {files !== null && (
          <Row title="Files">
            <li>{oneLine(files)}</li>
          </Row>
        )}
      </dl>
    </>
  );
}

function Row({
  children,
  place,
  title,
}: {
  readonly title: string;
  readonly place?: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div data-place={place} tabIndex={place === undefined ? undefined : -1}>
      <dt>{title}</dt>
      <dd>
        <ul>{children}</ul>
      </dd>
    </div>
  );
}

/** Opens what is folded there, and gives it the focus. */
export function goToPlace(place: string, opens = true): void {
  const element = document.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`);
  const stop = element?.querySelector<HTMLElement>("[data-stop]") ?? element;
  if (opens && stop?.getAttribute("aria-expanded") === "false") stop.click();
  stop?.focus({ preventScroll: true });
  stop?.scrollIntoView({ block: "start" });
}
