/** Cases of a property that are tried: at most `FUZZ_RUNS`, of which `npm test` makes 20 and `npm run long` nothing. */
export const runs = (all: number): number => Math.min(all, Number(process.env['FUZZ_RUNS'] ?? all));
