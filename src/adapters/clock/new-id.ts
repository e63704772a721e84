/**
 * A UUID of version 4, to identify something. It protects no secret: `node:crypto` has better randomness, but takes a
 * cold command longer to load than all its work.
 */
export function newId(): string {
  return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, (place) => {
    const digit = Math.floor(Math.random() * 16);
    return (place === "x" ? digit : 8 + (digit % 4)).toString(16);
  });
}
