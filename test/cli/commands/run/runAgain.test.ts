/** @module-tag heavy */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

const config = (second: string, notify = '') => `strategies:
  - { id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }
  - { id: second, ${second}, capital: 1000 }
${notify}`;
const DCA = `use: dca, params: { symbol: AAPL, notional: 50, at: '09:40' }`;
const CHANNEL = `notify: { channels: [{ id: pager, kind: webhook }] }\n`;

const until = (time: string) => ['--until', time, '--speed', 'max', '--state', 'state', '--json'];

test.each([
  ['a missing strategy file', config('use: ./gone.ts'), 'gone.ts: there is no such file'],
  [
    'invalid strategy parameters',
    config(`use: dca, params: { symbol: AAPL, notional: -5, at: '09:40' }`),
    'notional',
  ],
  ['a channel without an address', config(DCA, CHANNEL), 'there is no address for pager'],
])(
  '%s refuses the first start, and at a later start stops only what it affects',
  async (_what, broken, problem) => {
    const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
    const run = (text: string, time: string) => {
      writeFileSync(join(cwd, 'run.yaml'), text);
      return drover(['run', 'run.yaml', ...until(time)], { cwd });
    };
    const refused = await run(broken, '2026-06-15T09:37');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(problem)]);
    expect((await run(config(DCA), '2026-06-15T09:37')).code).toBe(0);
    const again = await run(broken, '2026-06-15T09:45');
    expect(again.err).toContain(problem);
    const { orders, strategies } = JSON.parse(again.out) as {
      orders: { filled: number };
      strategies: { id: string; state: string }[];
    };
    const isChannel = broken.includes('pager');
    expect(strategies.map(({ state }) => state)).toEqual(['running', isChannel ? 'running' : 'stopped']);
    // The fills of the previous run are counted, too.
    expect(orders.filled).toBe(isChannel ? 2 : 1);
    expect(again.code).toBe(isChannel ? 0 : 1);
  },
);
