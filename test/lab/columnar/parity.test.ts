import { test } from 'vitest';
import { expectParity } from './parity.ts';

test('the columnar engine gives what the kernel gives, in 300 random cases', () => expectParity(300), 60_000);
