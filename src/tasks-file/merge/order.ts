/**
 * The names that are kept, in one order of two that came from a third: a side that moved something decides, and what the
 * other side added stands behind what it was added behind. Null: both moved, each to another place.
 */
export function orderOf(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
): readonly string[] | null {
  const [inMine, inTheirs] = [new Set(mine), new Set(theirs)];
  const shared = (names: readonly string[]) =>
    names.filter((name) => inMine.has(name) && inTheirs.has(name) && kept.has(name));
  const before = new Set(shared(base));
  const common = (names: readonly string[]) => shared(names).filter((name) => before.has(name));
  const isMoved = !isSame(common(mine), common(base));
  if (isMoved && !isSame(common(theirs), common(base)) && !isSame(common(mine), common(theirs))) return null;
  const [frame, other] = isMoved ? [mine, theirs] : [theirs, mine];
  return woven(
    frame.filter((name) => kept.has(name)),
    other.filter((name) => kept.has(name)),
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** The frame, with what only the other has. */
function woven(frame: readonly string[], other: readonly string[]): readonly string[] {
  const inFrame = new Set(frame);
  const inOther = new Set(other);
  const added = new Map<string | null, string[]>();
  let behind: string | null = null;
  for (const name of other) {
    if (inFrame.has(name)) behind = name;
    else push(added, behind, name);
  }
  const result: string[] = [];
  let waiting = added.get(null) ?? [];
  for (const name of frame) {
    if (inOther.has(name)) {
      result.push(...waiting, name);
      waiting = added.get(name) ?? [];
    } else result.push(name);
  }
  return [...result, ...waiting];
}

function push<K>(lists: Map<K, string[]>, key: K, name: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [name]);
  else list.push(name);
}
