/** What somebody is told by an error: all of it, word for word. */
interface ErrorTexts {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

const wordsOf = ({ code, fix, message }: ErrorTexts): ErrorTexts => ({ code, message, fix });

/** What the work throws, or else what it returns. */
export function resultOrError<T>(work: () => T): T | ErrorTexts {
  try {
    return work();
  } catch (thrown) {
    return wordsOf(thrown as ErrorTexts);
  }
}

/** What the work throws, or empty words where it does not. */
export async function toldLater(work: Promise<unknown>): Promise<ErrorTexts> {
  return wordsOf(
    await work.then(
      () => ({ code: "", message: "", fix: "" }),
      (thrown) => thrown as ErrorTexts,
    ),
  );
}
