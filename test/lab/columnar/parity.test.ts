import { test } from 'vitest';
import { expectParity } from './parity.ts';

test(
  'the columnar engine gives the result of the full engine in 100 random cases',
  () => expectParity(100),
  60_000,
);
