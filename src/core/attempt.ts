/** What `act` returns; `otherwise` where it throws, whatever that is. */
export function attempt<T, F>(act: () => T, otherwise: F): T | F {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
