/** The claims next to the findings, the decisions, and the submitted artifact. */
import { restOfArtifact, valueLines } from "../../../../runtime/review/brief.ts";
import type { Choice, Claim, Review } from "../../../../runtime/review/model.ts";
import { Badge, type Badged } from "../notice.tsx";
import { Part } from "../part.tsx";
import { OneLine, oneLine, Words } from "../words.tsx";
import type { Drafted } from "./draft.ts";
import { PointsAt, useNewPoint } from "./point-field.tsx";

const CLAIM: Readonly<Record<Claim["verdict"], Badged>> = {
  differs: { words: "Differs", tone: "bad" },
  running: { words: "Still running", tone: "warn" },
  unknown: { words: "Not checked", tone: "warn" },
  agrees: { words: "Agrees", tone: "good" },
};
const ORDER = Object.keys(CLAIM);

export function ClaimsTable({ claims }: { readonly claims: readonly Claim[] }) {
  if (claims.length === 0) return null;
  const sorted = claims.toSorted((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
  return (
    <Part title="Said and found" place="claims">
      <table class="claims">
        <thead>
          <tr>
            <th scope="col">About</th>
            <th scope="col">The agent said</th>
            <th scope="col">Pawl found</th>
            <th scope="col">
              <span class="unseen">Whether they agree</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((claim, at) => (
            <tr key={at} class={claim.verdict}>
              <th scope="row" class="mono">
                <OneLine text={claim.about} max={60} />
              </th>
              <td data-label="The agent said">
                {claim.claim === undefined ? (
                  <span class="quiet">nothing</span>
                ) : (
                  <Words text={claim.claim} max={500} />
                )}
              </td>
              <td data-label="Pawl found">
                <Words text={claim.found} max={500} />
              </td>
              <td class="claim-verdict">
                <Badge tone={CLAIM[claim.verdict]?.tone ?? "warn"}>
                  {CLAIM[claim.verdict]?.words ?? claim.verdict}
                </Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

const KIND: Readonly<Record<Choice["kind"], string>> = {
  strategy: "Strategy",
  interface: "Interface",
  dependency: "Dependency",
  migration: "Migration",
  risk: "Risk",
  scope: "Scope",
  other: "Other",
};

export function Choices({ choices, ...drafted }: Drafted & { readonly choices: readonly Choice[] }) {
  if (choices.length === 0) return null;
  return (
    <Part title="Decisions" side={<span class="quiet small">before any line of code</span>}>
      <ul class="choices">
        {choices.map((choice, at) => (
          <OneChoice {...drafted} key={at} choice={choice} />
        ))}
      </ul>
    </Part>
  );
}

function OneChoice({ choice, ...drafted }: Drafted & { readonly choice: Choice }) {
  const at = `field ${choice.field}`;
  const { button, field } = useNewPoint(drafted, at, oneLine(choice.title, 100));
  const kind = KIND[choice.kind] ?? choice.kind;
  const isFresh = choice.since === "new" || choice.since === "changed";
  return (
    <li class={`choice ${choice.kind}`}>
      <div class="choice-head">
        <h3>
          <OneLine text={choice.title} max={100} />
        </h3>
        {!choice.title.toLowerCase().includes(kind.toLowerCase().slice(0, 6)) && (
          <span class="quiet small">{kind}</span>
        )}
        {isFresh && <Badge tone="accent">{choice.since === "new" ? "New" : "Changed"}</Badge>}
        {button}
      </div>
      <ul class="choice-words">
        {choice.words.slice(0, 100).map((words, index) => (
          <li key={index}>
            <Words text={words} max={800} />
          </li>
        ))}
      </ul>
      <PointsAt {...drafted} at={at} />
      {field}
    </li>
  );
}

export function Artifact(review: Review) {
  const { artifact } = review;
  const rest = restOfArtifact(review);
  if (artifact === null || rest === null) return null;
  return (
    <Part
      title="The rest of what was handed in"
      side={
        <span class="quiet small mono" title={`sha-256 ${artifact.sha256}`}>
          {artifact.sha256.slice(0, 12)}
        </span>
      }
    >
      <details class="artifact">
        <summary>
          <OneLine text={artifact.name} max={80} />
        </summary>
        <Words text={valueLines(rest).join("\n")} max={20_000} />
      </details>
    </Part>
  );
}
