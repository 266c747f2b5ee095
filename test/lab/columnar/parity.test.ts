import { test } from 'vitest';
import { expectParity } from './parity.ts';

test(
  'the columnar engine gives the result of the full engine in 300 random cases',
  () => expectParity(300),
  60_000,
);
