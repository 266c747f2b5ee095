import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tradingCalendar } from '../../../../src/calendar/index.ts';
import { drover } from '../../support/commandLine.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-backtest-dividends-'));
  const sessions = tradingCalendar.sessions('2026-01-05', '2026-02-13');
  const rows = sessions.map(({ date }) => `${date},100,101,99,100,100000`);
  writeFileSync(join(folder, 'bars.csv'), `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(
    join(folder, 'actions.csv'),
    'exDate,type,oldRate,newRate,cashPerShare\n2026-01-08,cash_dividend,,,2\n',
  );
  writeFileSync(
    join(folder, 'holds.ts'),
    `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'holds',
  description: 'Buys ten shares once.',
  params: z.strictObject({ after: z.int().default(0) }),
  data: () => ({ bars: [{ symbol: 'KO', interval: '1d' }] }),
  create({ params }) {
    let seen = 0;
    return {
      onBar({ order }) {
        if (seen++ === params.after) order.buy('KO', { notional: '1000' });
      },
    };
  },
});
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const VENUE = `baseUrl: 'http://127.0.0.1:1', chainId: 1, product: ProductA, userAddress: '0x${'1'.repeat(40)}'`;

/** Arguments of a command with the bars and actions, and a config with these lines. */
function given(lines: string, ...flags: readonly string[]): string[] {
  const file = join(folder, 'my.yaml');
  writeFileSync(file, `${lines}\nstrategies:\n  - { id: a, use: ./holds.ts, capital: 2000 }\n`);
  const at = (name: string) => `KO=${join(folder, name)}`;
  return [file, '--bars', at('bars.csv'), '--actions', at('actions.csv'), '--json', ...flags];
}

/** Dividends in mUSD for ten shares, at a price of 100 and without costs. */
async function paidBy(lines: string, ...flags: readonly string[]): Promise<string> {
  const plain = ['--fees', 'none', '--slippage', 'none'];
  const { code, out, err } = await drover(['backtest', ...given(lines, ...plain, ...flags)]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return (JSON.parse(out) as { dividends: string }).dividends;
}

test('a backtest of a config pays dividends as the config says', async () => {
  expect(await paidBy('mode: emulator')).toBe('20');
  expect(await paidBy(`mode: dry-run\nstate: ./state\nvenue: { ${VENUE}, withheldPercent: 15 }`)).toBe('17');
  expect(await paidBy('mode: emulator\nemulator: { dividends: price }')).toBe('0');
  expect(await paidBy('mode: emulator\nstocks: { KO: { dividends: price } }')).toBe('0');
});

test('flags override the config, --dividends for all stocks', async () => {
  const venue = `venue: { ${VENUE}, withheldPercent: 15 }`;
  expect(await paidBy(`mode: emulator\n${venue}`, '--withheld', '0')).toBe('20');
  expect(await paidBy('mode: emulator\nstocks: { KO: { dividends: price } }', '--dividends', 'cash')).toBe(
    '20',
  );
});

let studies = 0;
/** A study of a single set, equal to a backtest of the config. */
const study = async (lines: string, ...flags: readonly string[]) => {
  const search = [
    '--objective',
    'totalReturn',
    '--space',
    '{"after":[0]}',
    '--workers',
    '1',
    '--study',
    join(folder, `${studies++}.study`),
  ];
  return drover(['optimise', ...given(lines, ...search, ...flags)]);
};

test('a study of a config pays dividends as the config says, too', async () => {
  const returnOf = ({ out, err }: { out: string; err: string }) => {
    expect(err).not.toContain('CONFIG_INVALID');
    return (JSON.parse(out) as { best: { inSample: { totalReturn: number } } }).best.inSample.totalReturn;
  };
  const paid = returnOf(await study('mode: emulator'));
  const inPrice = returnOf(await study('mode: emulator\nstocks: { KO: { dividends: price } }'));
  expect(paid - inPrice).toBeCloseTo(0.01, 3);
});

test('a study refuses less --cash than its config gives the strategy, as a backtest does', async () => {
  const { code, out, err } = await study('mode: emulator', '--cash', '777');
  expect({ code, said: out + err }).toEqual({
    code: 2,
    said: expect.stringContaining('the strategies are given 2000 mUSD, but there are 777') as string,
  });
});
