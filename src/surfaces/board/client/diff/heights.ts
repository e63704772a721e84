/**
 * The heights of a long list's rows: estimated until measured, so that only visible rows need to be drawn.
 */

export interface Heights {
  /** Where a row begins; for the row after the last: the total height. */
  top(row: number): number;
  /** The row at a distance from the top. */
  at(distance: number): number;
  /** Records a measured height. Returns true if it differs from the known one. */
  measure(row: number, height: number): boolean;
}

export function openHeights(estimates: ArrayLike<number>): Heights {
  const count = estimates.length;
  const heights = Float64Array.from(estimates);
  const tops = new Float64Array(count + 1);
  /** The `tops` up to this row are correct. */
  let right = 0;
  const settle = (row: number) => {
    for (; right < row; right++) tops[right + 1] = (tops[right] ?? 0) + (heights[right] ?? 0);
  };
  return {
    top(row) {
      settle(row);
      return tops[Math.min(row, count)] ?? 0;
    },
    at(distance) {
      settle(count);
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((tops[middle + 1] ?? 0) > distance) high = middle;
        else low = middle + 1;
      }
      return Math.min(low, Math.max(0, count - 1));
    },
    measure(row, height) {
      if (Math.abs((heights[row] ?? 0) - height) < 0.5) return false;
      heights[row] = height;
      right = Math.min(right, row);
      return true;
    },
  };
}
