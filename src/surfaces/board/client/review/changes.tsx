/** The changes of the work: the files in order of importance, by group and by item of the plan. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Review, ReviewFile } from "../../../../runtime/review/model.ts";
import type { View } from "../diff/lines.tsx";
import { keep, kept } from "../keep.ts";
import { useKeys } from "../keys.ts";
import { renderCount } from "../moment.tsx";
import { Empty } from "../notice.tsx";
import { OneLine, oneLine } from "../words.tsx";
import { change, type Draft } from "./draft.ts";
import { File } from "./file.tsx";
import { Part } from "./part.tsx";

const WIDE = matchMedia("(min-width: 1640px)");
const view = signal<View | null>(
  kept("view") === "split" ? "split" : kept("view") === "unified" ? "unified" : null,
);

interface ChangesProps {
  readonly project: string;
  readonly review: Review;
  readonly draft: Signal<Draft>;
}

export function Changes({ draft, project, review }: ChangesProps) {
  const { changes } = review;
  if (changes === null) return null;
  if (changes.kind === "unavailable")
    return (
      <Part title="Changes">
        <Empty title="What the work changes is not known.">
          <OneLine text={changes.reason} max={600} />
        </Empty>
      </Part>
    );
  return <Listed changes={changes} draft={draft} project={project} review={review} />;
}

function Listed({
  changes,
  draft,
  project,
  review,
}: ChangesProps & { readonly changes: Extract<Review["changes"], { readonly kind: "changes" }> }) {
  const [isSince, setSince] = useState(changes.lastJudged !== null);
  const since = isSince && changes.lastJudged !== null;
  const files = since ? changes.since : changes.files;
  const shown = view.value ?? (WIDE.matches ? "split" : "unified");
  const setView = (next: View) => {
    view.value = next;
    keep("view", next);
  };
  usePruned(draft, review, changes.files);
  useKeys("Changes", [
    ...(changes.lastJudged === null
      ? []
      : [{ keys: "s", words: "Since your last verdict, or all", run: () => setSince(!since) }]),
    {
      keys: "u",
      words: "Unified, or side by side",
      run: () => setView(shown === "split" ? "unified" : "split"),
    },
  ]);
  const viewed = files.filter(({ path }) => draft.value.viewed[path] !== undefined).length;
  return (
    <Part
      title="Changes"
      side={
        <div class="changes-side">
          <span class="quiet small">
            {viewed} of {renderCount(files.length, "file")} viewed · against{" "}
            <span class="mono">{oneLine(changes.base, 60)}</span>
            {changes.repo !== null && (
              <>
                {" "}
                in <span class="mono">{oneLine(changes.repo, 60)}</span>
              </>
            )}
          </span>
          {changes.lastJudged !== null && (
            <Switch
              name="Which changes"
              options={[
                [true, "Since your last verdict"],
                [false, "All"],
              ]}
              value={since}
              choose={setSince}
            />
          )}
          <Switch
            name="How lines are shown"
            options={[
              ["unified", "Unified"],
              ["split", "Side by side"],
            ]}
            value={shown}
            choose={setView}
          />
        </div>
      }
    >
      {files.length === 0 && (
        <Empty title={since ? "Nothing changed since your last verdict." : "No file is changed."} />
      )}
      {groupsOf(files).map((group) => (
        <Group
          key={group.key}
          group={group}
          draft={draft}
          project={project}
          review={review}
          since={since}
          view={shown}
        />
      ))}
    </Part>
  );
}

interface FileGroup {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly files: readonly ReviewFile[];
}

const GROUP_WORDS: Readonly<Record<ReviewFile["group"], readonly [string, string]>> = {
  "outside-plan": ["Outside the plan", "No item of the plan names these files."],
  process: ["How the work is judged", "Tests, scripts, CI, lock files and settings decide what passes."],
  plan: ["By the plan", ""],
  other: ["Files", ""],
};

/** Each item of the plan is a group of its own. */
function groupsOf(files: readonly ReviewFile[]): readonly FileGroup[] {
  const groups = new Map<string, ReviewFile[]>();
  for (const file of files) {
    const key = file.group === "plan" ? `plan ${file.item ?? ""}` : file.group;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups].map(([key, members]) => {
    const [first] = members;
    const [title, about] = GROUP_WORDS[first?.group ?? "other"] ?? GROUP_WORDS.other;
    return {
      key,
      title: first?.group === "plan" && first.item ? `Plan item ${first.item}` : title,
      about,
      files: members,
    };
  });
}

function Group({
  draft,
  group,
  project,
  review,
  since,
  view: shown,
}: ChangesProps & { readonly group: FileGroup; readonly since: boolean; readonly view: View }) {
  return (
    <section class={`file-group ${group.key.split(" ")[0]}`} aria-label={group.title}>
      <h3>
        <OneLine text={group.title} max={80} />
        <span class="count">{group.files.length}</span>
        <span class="quiet small">{group.about}</span>
      </h3>
      {group.files.map((file) => (
        <File
          key={file.path}
          file={file}
          draft={draft}
          project={project}
          run={review.run}
          version={review.version}
          since={since}
          view={shown}
        />
      ))}
    </section>
  );
}

/** A mark from an earlier version stays only on a file that has not changed since. */
function usePruned(draft: Signal<Draft>, { version }: Review, files: readonly ReviewFile[]): void {
  const same = useMemo(
    () => new Set(files.filter(({ isNew }) => isNew === false).map(({ path }) => path)),
    [files],
  );
  useEffect(() => {
    const entries = Object.entries(draft.peek().viewed);
    const holding = entries.filter(([path, seen]) => seen === version || same.has(path));
    if (holding.length < entries.length) change(draft, version, { viewed: Object.fromEntries(holding) });
  }, [draft, version, same]);
}

function Switch<T extends string | boolean>({
  choose,
  name,
  options,
  value,
}: {
  readonly name: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly choose: (value: T) => void;
}) {
  return (
    <fieldset class="switch">
      <legend class="unseen">{name}</legend>
      {options.map(([each, words]) => (
        <button key={words} type="button" aria-pressed={each === value} onClick={() => choose(each)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}
