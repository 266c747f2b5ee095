import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BarStore } from '../../../../src/market/barStore.ts';
import { drover } from '../../support/commandLine.ts';

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drover-backtest-store-'));
  const span = ['--from', '2026-01-01', '--to', '2026-04-01', '--data', folder];
  await drover(['data', 'generate', 'AAA', 'BBB', '--interval', '5m', ...span]);
  await drover(['data', 'generate', 'AAA', '--interval', '1d', '--seed', '2', ...span]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const backtest = (params: object, ...more: readonly string[]) =>
  drover([
    'backtest',
    '--strategy',
    'strategies/sma-cross.ts',
    '--params',
    JSON.stringify(params),
    '--data',
    folder,
    '--json',
    ...more,
  ]);
const resultOf = async (params: object, ...more: readonly string[]) =>
  (await toldOf('', params, ...more)).result;
/** A run that prints this text on stderr in addition to its result. */
const toldOf = async (told: string | RegExp, params: object, ...more: readonly string[]) => {
  const { code, out, err } = await backtest(params, ...more);
  expect({ code, err }).toEqual({ code: 0, err: told === '' ? '' : (expect.stringMatching(told) as string) });
  return { result: JSON.parse(out) as { runId: string; bars: number }, err };
};

const SESSIONS = 61;

test('a backtest takes the bars that its strategy asks for, as stored or built from shorter ones', async () => {
  const stored = await resultOf({ symbol: 'AAA', interval: '5m' });
  expect(stored).toMatchObject({ symbols: ['AAA'], bars: SESSIONS * 78 });
  expect(await resultOf({ symbol: 'BBB', interval: '1d' })).toMatchObject({
    symbols: ['BBB'],
    bars: SESSIONS,
  });
  expect(await resultOf({ symbol: 'BBB', interval: '1h' })).toMatchObject({ bars: SESSIONS * 7 });
});

test('--bars SYMBOL selects the stored bars, and --interval adds bars of that length for fills', async () => {
  const plain = await resultOf({ symbol: 'AAA', interval: '1d' }, '--bars', 'AAA');
  const finer = await resultOf({ symbol: 'AAA', interval: '1d' }, '--bars', 'AAA', '--interval', '5m');
  expect([plain.bars, finer.bars]).toEqual([SESSIONS, SESSIONS * 79]);
  expect(plain.runId).not.toBe(finer.runId);
});

test('--interval never sets a strategy parameter: the default of its schema applies', async () => {
  const byDefault = await resultOf({ symbol: 'AAA' });
  expect(byDefault).toMatchObject({ bars: SESSIONS, params: { interval: '1d' } });
  for (const isolated of [[], ['--isolate']]) {
    const finer = await resultOf({ symbol: 'AAA' }, '--interval', '5m', ...isolated);
    expect(finer).toMatchObject({ bars: SESSIONS * 79, params: { interval: '1d' } });
  }
  const checked = await drover([
    'lookahead-check',
    '--strategy',
    'strategies/sma-cross.ts',
    '--params',
    '{"symbol":"AAA"}',
    '--data',
    folder,
    '--interval',
    '5m',
    '--histories',
    '2',
    '--json',
  ]);
  const plain = await drover([
    'lookahead-check',
    '--strategy',
    'strategies/sma-cross.ts',
    '--params',
    '{"symbol":"AAA"}',
    '--data',
    folder,
    '--histories',
    '2',
    '--json',
  ]);
  const decisions = (out: string) => (JSON.parse(out) as { decisions: number }).decisions;
  expect(decisions(checked.out)).toBe(decisions(plain.out));
});

test('a backtest on bars of a file and one on the same stored bars have the same run id', async () => {
  const file = join(folder, 'AAA.csv');
  await drover(['data', 'export', 'AAA', '--interval', '1d', '--out', file, '--data', folder]);
  const [byFile, byStore] = [
    await resultOf({ symbol: 'AAA', interval: '1d' }, '--bars', `AAA=${file}`),
    await resultOf({ symbol: 'AAA', interval: '1d' }),
  ];
  expect(byFile.runId).toBe(byStore.runId);
});

test('a backtest applies stored splits and dividends as it applies those of a file', async () => {
  const params = { symbol: 'BBB', interval: '1d' };
  const [bars, actions] = [join(folder, 'BBB.csv'), join(folder, 'actions.csv')];
  await drover(['data', 'export', 'BBB', '--interval', '1d', '--out', bars, '--data', folder]);
  const header = 'exDate,type,oldRate,newRate,cashPerShare,payableDate';
  writeFileSync(
    actions,
    `${header}\n2026-02-10,reverse_split,2,1,,\n2026-02-11,cash_dividend,,,0.5,2026-03-02\n`,
  );
  const without = await resultOf(params);
  // The prices are made up, without a split.
  const told =
    /^drover: BBB 1d 2026-02-10T14:30:00Z: a split 1 for 2 is known of 2026-02-10, but the price stays at [\d.]+; .*--actions BBB=FILE.*\n$/;
  const played = async (...more: readonly string[]) => (await toldOf(told, params, ...more)).result;
  const byFile = await played('--bars', `BBB=${bars}`, '--actions', `BBB=${actions}`);
  await drover(['data', 'import', actions, '--symbol', 'BBB', '--actions', '--data', folder]);
  const byStore = await played();
  expect(byStore).toMatchObject({ events: [{ kind: 'split' }], dividends: '0' });
  expect([byStore.runId, byStore.runId === without.runId]).toEqual([byFile.runId, false]);
  expect(await played('--actions', `BBB=${actions}`)).toMatchObject({ runId: byFile.runId });
});

test('a backtest warns of price jumps that look like an unlisted split, up to its end only', async () => {
  const bars = join(folder, 'jumps.csv');
  const row = (day: number, price: number) =>
    `2026-06-${day},${price},${price + 1},${price - 1},${price},1000`;
  writeFileSync(
    bars,
    ['ts,open,high,low,close,volume', row(15, 400), row(16, 400), row(17, 100), row(18, 10)].join('\n'),
  );
  const params = { symbol: 'AAA', interval: '1d' };
  const { err } = await toldOf(/^drover/, params, '--bars', `AAA=${bars}`);
  expect(err).toMatch(
    /^drover: AAA 1d 2026-06-17T13:30:00Z: the price goes from 400 to 100, as by a split 4 for 1, but none is known; .*the first of 2 /,
  );
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  const actions = join(folder, 'splits.csv');
  writeFileSync(actions, 'exDate,type,oldRate,newRate,cashPerShare\n2026-06-17,forward_split,1,4,\n');
  const given = ['--bars', `AAA=${bars}`, '--actions', `AAA=${actions}`];
  expect((await toldOf(/from 100 to 10/, params, ...given)).err).not.toMatch(/400|first of/);
  await resultOf(params, ...given, '--to', '2026-06-18');
});

test('a special dividend on the day of a regular one is paid, from a file and from the store', async () => {
  const hold = join(folder, 'hold.ts');
  writeFileSync(
    hold,
    `import { defineStrategy } from 'drover/strategy';
    import { z } from 'zod';
    export default defineStrategy({
      name: 'hold', description: 'x', params: z.strictObject({}),
      data: () => ({ bars: [{ symbol: 'CCC', interval: '1d' }] }),
      create: () => ({ onBar: ({ order, view }) => { if (view.position('CCC') === 0) order.buy('CCC', { shares: '100' }); } }),
    });`,
  );
  const [store, actions] = [join(folder, 'ccc'), join(folder, 'two.csv')];
  const header = 'exDate,type,oldRate,newRate,cashPerShare';
  writeFileSync(actions, `${header}\n2026-02-10,cash_dividend,,,1\n2026-02-10,cash_dividend,,,15\n`);
  await drover([
    'data',
    'generate',
    'CCC',
    '--interval',
    '1d',
    '--from',
    '2026-01-01',
    '--to',
    '2026-04-01',
    '--data',
    store,
  ]);
  const paid = async (...more: readonly string[]) => {
    const run = [
      'backtest',
      '--strategy',
      hold,
      '--cash',
      '1000000',
      '--fees',
      'none',
      '--fill',
      'next-open',
    ];
    const { out } = await drover([...run, '--data', store, '--json', ...more]);
    return (JSON.parse(out) as { dividends: string }).dividends;
  };
  expect(await paid('--actions', `CCC=${actions}`)).toBe('1600');
  await drover(['data', 'import', actions, '--symbol', 'CCC', '--actions', '--data', store]);
  expect(await paid()).toBe('1600');
});

test('a stored corporate action that makes no sense is reported and left out', async () => {
  const action = { exDate: '2026-02-10', oldRate: '1', newRate: '4', cashPerShare: null };
  const source = { kind: 'venue', name: 'v' } as const;
  const actions = [
    { ...action, type: 'reverse_split', source },
    { ...action, type: 'rights', source },
    { ...action, type: 'forward_split', exDate: '1987-06-16', source },
  ];
  new BarStore(folder).writeActions({ format: 1, symbol: 'AAA', fetchedAt: 0, actions });
  const { code, out, err } = await backtest({ symbol: 'AAA', interval: '1d' });
  expect({ code, events: (JSON.parse(out) as { events: unknown }).events }).toEqual({ code: 0, events: [] });
  expect(err.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^drover: AAA: .* 1 for 4 is no reverse split.* It is left out$/),
    expect.stringMatching(/^drover: AAA: rights .* not known.* It is left out$/),
    expect.stringMatching(/^drover: AAA: .*1987-06-16.* It is left out$/),
  ]);
});

test('corporate actions of a symbol without bars are refused, with stored bars and with bars of a file', async () => {
  const [bars, actions] = [join(folder, 'AAA.csv'), join(folder, 'actions.csv')];
  for (const more of [[], ['--bars', `AAA=${bars}`]]) {
    const { code, err } = await backtest(
      { symbol: 'AAA', interval: '1d' },
      ...['--actions', `TT=${actions}`, ...more],
    );
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/--actions: there are no bars of TT\. There are bars of AAA/) as string,
    });
  }
});

test.each([
  [
    'a symbol without data',
    { symbol: 'CCC', interval: '1h' },
    [],
    /sma-cross asks for bars of CCC 1h: .*drover data pull CCC --interval 1h.*drover data generate CCC --interval 1h --from DATE --to DATE.*generates some/,
  ],
  ['bars that cannot be built from longer ones', { symbol: 'AAA', interval: '3m' }, [], /bars of AAA 3m/],
  [
    'a file of actions without its symbol',
    { symbol: 'AAA' },
    ['--actions', 'actions.csv'],
    /--actions .*actions.csv.*: write SYMBOL=FILE/,
  ],
  [
    'a file of actions that is not there',
    { symbol: 'AAA' },
    ['--actions', 'AAA=none.csv'],
    /none.csv: there is no such file/,
  ],
  [
    'an invalid symbol',
    { symbol: 'AAA' },
    ['--bars', 'not a symbol'],
    /NOT A SYMBOL.* is not a stock symbol/,
  ],
] as const)('a backtest with %s ends with exit 2', async (...[, params, more, message]) => {
  const { code, err } = await backtest(params, ...more);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
});
