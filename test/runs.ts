const share = Number(process.env['FUZZ_RUNS'] ?? Infinity);

/** Number of cases that a property tries: at most `FUZZ_RUNS`, which `npm test` sets to 20, and all in `npm run long`. */
export const runs = (all: number): number => Math.min(all, share);

/** Moments from 1 to `count` at which something is tried: a quarter of `FUZZ_RUNS` of them, first and last included, else all. */
export function moments(count: number): number[] {
  const tried = Math.min(count, Math.max(2, Math.ceil(share / 4)));
  return Array.from(
    { length: tried },
    (_, at) => 1 + Math.round((at * (count - 1)) / Math.max(1, tried - 1)),
  );
}

/** Cases of one promise in two shares: the first `short` of them, and the others, only for `npm run long`. */
export const shares = <T>(
  cases: readonly T[],
  short = 1,
): readonly Readonly<{ cases: readonly T[]; tags: string[] }>[] => [
  { cases: cases.slice(0, short), tags: [] },
  { cases: cases.slice(short), tags: ['long'] },
];
