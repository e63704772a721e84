/** What somebody is told by an error: all of it, word for word. */
interface Told {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

const wordsOf = ({ code, fix, message }: Told): Told => ({ code, message, fix });

/** What the work throws, or else what it returns. */
export function told<T>(work: () => T): T | Told {
  try {
    return work();
  } catch (thrown) {
    return wordsOf(thrown as Told);
  }
}

/** What the work throws, or empty words where it does not. */
export async function toldLater(work: Promise<unknown>): Promise<Told> {
  return wordsOf(
    await work.then(
      () => ({ code: "", message: "", fix: "" }),
      (thrown) => thrown as Told,
    ),
  );
}
