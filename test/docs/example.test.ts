import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import * as endpoints from '../../src/api/endpoints/index.ts';

const guide = readFileSync('docs/client.md', 'utf8');

test('the example of the client guide lists, buys and sees its order settle', async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  await import('../../docs/examples/client.ts');
  log.mockRestore();

  expect(printed).toHaveLength(4);
  expect(printed.at(-1)).toMatch(/^Filled: paid 25\.0275 mUSD for 0\.\d+ AAPL at \d+(\.\d+)?$/);
});

test('the client guide names every method and every signing group', () => {
  for (const name of [...Object.keys(endpoints), ...ALLOWED_GROUPS]) expect(guide).toContain(`\`${name}\``);
});
