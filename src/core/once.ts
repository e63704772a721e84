/** Calls `read` once; later calls return the same result. */
export function readOnce<T>(read: () => T): () => T {
  let result: { readonly value: T } | null = null;
  return () => {
    result ??= { value: read() };
    return result.value;
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
