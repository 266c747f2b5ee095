/** Most lines, and most characters, that a strategy may print in a minute. */
const LINES_MAX = 600;
const CHARS_MAX = 64 * 1024;
const WINDOW_MS = 60_000;

/** Lets through what a strategy prints up to a bound per minute, and says how many lines were left out. */
export class PrintLimit {
  readonly #print: (text: string) => void;
  readonly #now: () => number;
  #since = -Infinity;
  #lines = 0;
  #chars = 0;
  #leftOut = 0;

  /** `now`: real milliseconds on a scale that never jumps. */
  constructor(print: (text: string) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  /** Takes some lines; the last one may go on in the next text. */
  take(text: string): void {
    this.#refresh();
    const lines = text.replace(/\n$/, '').split('\n');
    const kept = lines.filter((line) => this.#fits(line));
    if (kept.length > 0) this.#print(`${kept.join('\n')}\n`);
    const dropped = lines.length - kept.length;
    if (dropped > 0 && this.#leftOut === 0)
      this.#print(
        `(more than ${LINES_MAX} lines or ${CHARS_MAX / 1024} KiB in a minute: the rest is left out)\n`,
      );
    this.#leftOut += dropped;
  }

  /** Looks whether the minute is over in which something was left out, and says what it was. */
  settle(): void {
    if (this.#leftOut > 0) this.#refresh();
  }

  /** Begins a new minute when one is over, and says what the last one left out. */
  #refresh(): void {
    const now = this.#now();
    if (now - this.#since < WINDOW_MS) return;
    this.flush();
    [this.#since, this.#lines, this.#chars] = [now, 0, 0];
  }

  /** Says how many lines were left out, if any were. */
  flush(): void {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut > 0) this.#print(`(${leftOut} ${leftOut === 1 ? 'line was' : 'lines were'} left out)\n`);
  }

  #fits(line: string): boolean {
    if (this.#lines >= LINES_MAX || this.#chars + line.length > CHARS_MAX) return false;
    this.#lines++;
    this.#chars += line.length;
    return true;
  }
}
