/** What is made of texts, each made once: a text always means the same. When `most` are kept, it begins anew. */
export function openByText<Made>(most: number): (text: string, make: () => Made) => Made {
  const known = new Map<string, Made>();
  return (text, make) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= most) known.clear();
    known.set(text, made);
    return made;
  };
}
