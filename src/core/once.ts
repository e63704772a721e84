/** Calls `look` once; later calls return the same result. */
export function lookOnce<T>(look: () => T): () => T {
  let seen: { readonly value: T } | null = null;
  return () => {
    seen ??= { value: look() };
    return seen.value;
  };
}

/** Keeps a success; repeats a failed call. */
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
