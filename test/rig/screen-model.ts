/**
 * A terminal's screen as far as the loop's display needs one: lines that scroll, the cursor moved up, what is below it
 * erased, wrapping on and off. Any letter beyond ASCII takes `wide` columns, as some terminal somewhere has it.
 */
export class ScreenModel {
  #lines: string[] = [""];
  #taken = 0;
  #row = 0;
  #wraps = true;
  /** What was written and is no part of the above. */
  readonly strange: string[] = [];

  readonly #columns: number;
  readonly #rows: number;
  readonly #wide: number;

  constructor(columns: number, rows: number, wide: number) {
    this.#columns = columns;
    this.#rows = rows;
    this.#wide = wide;
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
    for (const [token] of text.matchAll(/\u001b\[[0-?]*[ -/]*[@-~]|[\s\S]/gu)) this.#take(token);
  }

  /** Without the empty ones at the end. */
  get lines(): readonly string[] {
    const last = this.#lines.findLastIndex((line) => line !== "");
    return this.#lines.slice(0, last + 1);
  }

  #take(token: string): void {
    const up = /^\[(\d+)F$/.exec(token.slice(1))?.[1];
    if (token === "\n") this.#newLine();
    else if (up !== undefined) {
      // No further than to the top of what is on the screen.
      this.#row = Math.max(Math.max(0, this.#lines.length - this.#rows), this.#row - Number(up));
      this.#taken = 0;
    } else if (token === "\u001b[0J") this.#lines.splice(this.#row, Number.POSITIVE_INFINITY, "");
    else if (token === "\u001b[?7l") this.#wraps = false;
    else if (token === "\u001b[?7h") this.#wraps = true;
    else if (/^\[\d*m$/.test(token.slice(1))) return;
    else if (token < " " || token === "\u007f") this.strange.push(token);
    else this.#put(token);
  }

  #put(letter: string): void {
    const width = letter < "\u007f" ? 1 : this.#wide;
    if (this.#taken + width > this.#columns) {
      if (!this.#wraps) return;
      this.#newLine();
    }
    this.#lines[this.#row] += letter;
    this.#taken += width;
  }

  #newLine(): void {
    this.#row += 1;
    this.#taken = 0;
    if (this.#row === this.#lines.length) this.#lines.push("");
  }
}
