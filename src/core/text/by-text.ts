/**
 * A cache of results by text: a text always has the same result. When it holds `most` results, it starts
 * empty.
 */
export function openByText<Made>(most: number): (text: string, make: () => Made) => Made {
  const cache = new Map<string, Made>();
  return (text, make) => {
    const found = cache.get(text);
    if (found !== undefined) return found;
    const made = make();
    if (cache.size >= most) cache.clear();
    cache.set(text, made);
    return made;
  };
}
