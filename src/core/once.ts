/** The same answer for each question after the first. */
export function lookOnce<T>(look: () => T): () => T {
  let seen: { readonly value: T } | null = null;
  return () => {
    seen ??= { value: look() };
    return seen.value;
  };
}

/** Kept if it succeeds; tried again if not. */
export function once<T>(act: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= act().catch((thrown: unknown) => {
      done = undefined;
      throw thrown;
    });
    return done;
  };
}
