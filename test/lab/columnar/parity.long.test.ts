import { test } from 'vitest';
import { expectParity } from './parity.ts';

const CASES = Number(process.env['PARITY_CASES'] ?? 10_000);

test(
  `the columnar engine gives the result of the full engine in ${CASES} random cases`,
  () => expectParity(CASES),
  3_600_000,
);
