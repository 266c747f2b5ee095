/** Largest edit distance that counts as a typing error. */
const SLIP_MAX = 3;

/** Edit distance between two words, ignoring case: the number of letters to change, add or drop. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const change = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Known word that was probably meant, if any is close enough. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const short = word.slice(0, 60).toLowerCase();
  const near = known
    .map((name) => ({ name, slips: distance(short, name.toLowerCase()) }))
    .filter(({ name, slips }) => slips <= Math.min(SLIP_MAX, Math.ceil(name.length / 3)))
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.name;
}
