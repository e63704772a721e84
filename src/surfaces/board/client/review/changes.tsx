/** The changes of the work: the files in order of danger, by group and by item of the plan. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Review, ReviewFile } from "../../../../runtime/review/model.ts";
import type { View } from "../diff/lines.tsx";
import { keep, kept } from "../keep.ts";
import { useKeys } from "../keys.ts";
import { Search, Switch, searchKey } from "../lists.tsx";
import { renderCount } from "../moment.tsx";
import { Empty } from "../notice.tsx";
import { Part } from "../part.tsx";
import { OneLine, oneLine } from "../words.tsx";
import { goToPlace } from "./brief.tsx";
import { change, type Draft } from "./draft.ts";
import { File } from "./file.tsx";

const WIDE = matchMedia("(min-width: 1640px)");
const view = signal<View | null>(
  kept("view") === "split" ? "split" : kept("view") === "unified" ? "unified" : null,
);

interface ChangesProps {
  readonly project: string;
  readonly review: Review;
  readonly draft: Signal<Draft>;
  readonly takesPoints: boolean;
}

export function Changes(props: ChangesProps) {
  const { changes } = props.review;
  if (changes === null) return null;
  if (changes.kind === "unavailable")
    return (
      <Part title="Changes">
        <Empty title="What the work changes is not known.">
          <OneLine text={changes.reason} max={600} />
        </Empty>
      </Part>
    );
  return <Listed {...props} changes={changes} />;
}

function Listed({
  changes,
  draft,
  review,
  ...props
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
    { keys: "v", words: "The file is viewed; to the next", run: viewAndNext },
    { keys: "]", words: "The next change", run: () => toHunk(1) },
    { keys: "[", words: "The change before", run: () => toHunk(-1) },
    searchKey("Find a file"),
    {
      keys: "u",
      words: "Unified, or side by side",
      run: () => setView(shown === "split" ? "unified" : "split"),
    },
  ]);
  return (
    <Part
      title="Changes"
      place="changes"
      side={
        <div class="changes-side">
          <span class="quiet small">
            against <span class="mono">{since ? "what you judged last" : oneLine(changes.base, 60)}</span>
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
      {since && <Hidden files={changes.files} />}
      <div class="changes-body">
        <Rail files={files} viewed={draft.value.viewed} />
        <div>
          {groupsOf(files).map((group) => (
            <Group
              {...props}
              key={group.key}
              group={group}
              draft={draft}
              review={review}
              since={since}
              view={shown}
            />
          ))}
        </div>
      </div>
    </Part>
  );
}

function Hidden({ files }: { readonly files: readonly ReviewFile[] }) {
  const count = files.filter(({ isNew }) => isNew === false).length;
  if (count === 0) return null;
  return (
    <p class="quiet small">
      Hidden here, as you judged {count === 1 ? "it" : "them"}: {renderCount(count, "file")}.
    </p>
  );
}

/** All files, to find one and go to it. */
function Rail({ files, viewed }: Pick<Draft, "viewed"> & { readonly files: readonly ReviewFile[] }) {
  const [query, setQuery] = useState("");
  const matching = files.filter(({ path }) => path.toLowerCase().includes(query.toLowerCase()));
  if (files.length < 2) return null;
  return (
    <nav class="rail" aria-label="Files">
      <Search
        label="Find a file"
        value={query}
        change={setQuery}
        onEnter={() => matching[0] && goToPlace(`file ${matching[0].path}`)}
      />
      <ul>
        {matching.slice(0, 400).map((file) => (
          <li key={file.path} class={file.group}>
            <button type="button" class="plain small" onClick={() => goToPlace(`file ${file.path}`)}>
              {viewed[file.path] === undefined ? "" : "✓ "}
              <OneLine text={file.path} max={200} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The file that has the focus, or the first below the top of the window. */
function fileAt(): HTMLElement | null {
  const all = [...document.querySelectorAll<HTMLElement>("article.file")];
  const active = all.find((file) => file.contains(document.activeElement));
  return active ?? all.find((file) => file.getBoundingClientRect().bottom > 100) ?? null;
}

function viewAndNext(): void {
  const all = [...document.querySelectorAll<HTMLElement>("article.file")];
  const fileIndex = fileAt();
  const box = fileIndex?.querySelector<HTMLInputElement>(".check input");
  if (fileIndex === null || !box) return;
  if (!box.checked) box.click();
  const later = all.slice(all.indexOf(fileIndex) + 1);
  const next = later.find((file) => file.querySelector(".check input:not(:checked)"));
  goToPlace(next?.dataset.place ?? fileIndex.dataset.place ?? "", false);
}

function toHunk(by: 1 | -1): void {
  const tops = [...document.querySelectorAll<HTMLElement>(".row-box:has(.hunk)")];
  const place = (row: HTMLElement) => row.getBoundingClientRect().top - 100;
  const next = by > 0 ? tops.find((row) => place(row) > 4) : tops.findLast((row) => place(row) < -4);
  if (next) scrollBy(0, place(next));
}

interface FileGroup {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly files: readonly ReviewFile[];
}

const GROUP_WORDS: Readonly<Record<ReviewFile["group"], readonly [string, string]>> = {
  process: ["Read first", "They decide what passes, or lead out of the project."],
  plan: ["By the plan", ""],
  "outside-plan": ["Outside the plan", "No item of the plan names these files."],
  other: ["Files", ""],
  folded: ["Folded", "Open one to read it."],
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
  group,
  review,
  ...props
}: ChangesProps & { readonly group: FileGroup; readonly since: boolean; readonly view: View }) {
  return (
    <section class={`file-group ${group.key.split(" ")[0]}`} aria-label={group.title}>
      <h3>
        <OneLine text={group.title} max={80} />
        <span class="count">{group.files.length}</span>
        <span class="quiet small">{group.about}</span>
      </h3>
      {group.files.map((file) => (
        <File {...props} key={file.path} file={file} run={review.run} version={review.version} />
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
    if (holding.length < entries.length) change({ draft, version }, { viewed: Object.fromEntries(holding) });
  }, [draft, version, same]);
}
