/** Returns the result of `act`, or `otherwise` if it throws anything. */
export function attempt<T, F>(act: () => T, otherwise: F): T | F {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
