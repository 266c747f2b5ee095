import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

let folder = '';
const place = (name: string) => join(folder, name);

/** Buys at 21:00 and sells at 03:00, by limits of the night. */
const STRATEGY = `
import { defineStrategy, ticker } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'night',
  description: 'holds for some hours of the night',
  params: z.object({ symbol: ticker(), notional: z.int().min(500).max(2000).default(2000) }),
  data: ({ symbol }) => ({
    bars: [{ symbol, interval: '1d' }],
    timers: [{ name: 'buy', at: '21:00' }, { name: 'sell', at: '03:00' }],
  }),
  create: ({ params: { symbol, notional } }) => ({
    onTimer({ order, timer }) {
      if (timer === 'buy') order.buy(symbol, { notional, outside: 'limit' });
      else order.sell(symbol, { all: true, outside: 'limit' });
    },
  }),
});
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drover-backtest-outside-'));
  writeFileSync(place('night.ts'), STRATEGY);
  const span = ['--from', '2026-03-02', '--to', '2026-03-14', '--data', place('data')];
  await drover([
    'data',
    'generate',
    'AAA',
    '--interval',
    '5m',
    '--price',
    '100',
    '--sessions',
    'all',
    ...span,
  ]);
  await drover(['data', 'generate', 'BBB', '--interval', '5m', '--price', '100', ...span]);
  writeFileSync(
    place('drover.yaml'),
    [
      'mode: emulator',
      'trade: [regular, overnight]',
      'limits: { orderNotional: 5000, positionNotional: 5000, outside: { orderNotional: 1000 } }',
      'strategies: [{ id: night, use: ./night.ts, capital: 10000, params: { symbol: AAA } }]',
      `data: { dir: ${JSON.stringify(place('data'))} }`,
    ].join('\n'),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

type Study = Readonly<{
  best: Readonly<{ runId: string; params: Readonly<Record<string, unknown>> }>;
  engineWhy: readonly string[];
}>;
type Result = Readonly<{
  runId: string;
  phases?: readonly Readonly<{ phase: string; fills: number; pnl: string }>[];
  pnl: string;
  dropped: Record<string, number>;
  model: Record<string, unknown>;
  sensitivity?: readonly Readonly<{ name: string; trades: number }>[];
}>;

const nightly = (symbol: string) => [
  '--strategy',
  place('night.ts'),
  '--params',
  JSON.stringify({ symbol }),
  '--data',
  place('data'),
];
const play = (symbol: string, ...more: readonly string[]) =>
  drover(['backtest', ...nightly(symbol), '--json', ...more]);
const resultOf = ({ out }: Readonly<{ out: string }>) => JSON.parse(out) as Result;
const countsOf = ({ phases = [] }: Result) => phases.map(({ phase, fills }) => [phase, fills]);

describe('a backtest outside the session', () => {
  test('trades in the phases of --trade, and splits the result by them', async () => {
    const run = await play('AAA', '--interval', '5m', '--trade', 'regular,overnight', '--sensitivity');
    expect(run).toMatchObject({ code: 0, err: '' });
    const result = resultOf(run);
    // Ten evenings, the last of them without a night after it; the first night has nothing to sell.
    expect(countsOf(result)).toEqual([
      ['overnight', 18],
      ['regular', 0],
    ]);
    expect(result.model).toMatchObject({ trade: 'regular, overnight' });
    expect(result.sensitivity?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['slippage outside spread:10', 'no trading outside the session']),
    );
  });

  test('names a night that is left out because its session lies after --to', async () => {
    const span = ['--interval', '5m', '--trade', 'regular,overnight', '--from', '2026-03-03'];
    const inNight = await play('AAA', ...span, '--to', '2026-03-05T03:30');
    const afterOpen = await play('AAA', ...span, '--to', '2026-03-05T10:00');
    expect(inNight.err).toBe(
      'drover: the night before the session of 2026-03-05 is not played: no bar of that session lies before --to\n',
    );
    expect(afterOpen).toMatchObject({ code: 0, err: '' });
  });

  test('uses the phases and night limits of its config', async () => {
    const run = await drover(['backtest', place('drover.yaml'), '--interval', '5m', '--json']);
    expect(run).toMatchObject({ code: 0, err: '' });
    const result = resultOf(run);
    // Every order of 2000 is over the 1000 of the night.
    expect(countsOf(result)).toEqual([
      ['overnight', 0],
      ['regular', 0],
    ]);
    expect(Object.keys(result.dropped).join()).toContain('orderNotional');
  });

  test('shows the phases in the terminal and in the report', async () => {
    const report = place('report.html');
    const { out } = await drover([
      'backtest',
      ...nightly('AAA'),
      ...'--interval 5m --trade regular,overnight --report'.split(' '),
      report,
    ]);
    expect(out).toMatch(/^phase +fills +bought +sold +fees +slippage +earned$/m);
    expect(out).toMatch(/^overnight +18 /m);
    expect(readFileSync(report, 'utf8')).toContain('By phase');
  });

  test('reads a file of all phases', async () => {
    const file = place('AAA.csv');
    await drover([
      'data',
      'export',
      'AAA',
      '--interval',
      '5m',
      '--sessions',
      'all',
      '--out',
      file,
      '--data',
      place('data'),
    ]);
    const run = await drover([
      'backtest',
      ...`--strategy dca --params {"symbol":"AAA","notional":"100"} --bars AAA=${file}`.split(' '),
      ...'--interval 5m --trade regular,pre --json'.split(' '),
    ]);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(resultOf(run).phases?.map(({ phase }) => phase)).toEqual(['pre', 'regular']);
  });

  test('is played by a study for each parameter set, by its flags or its config', async () => {
    const all = ['--price', '100', '--sessions', 'all', '--data', place('data')];
    await drover([
      'data',
      'generate',
      'CCC',
      ...'--interval 5m --from 2026-03-02 --to 2026-04-02'.split(' '),
      ...all,
    ]);
    const yaml = readFileSync(place('drover.yaml'), 'utf8').replace('AAA', 'CCC');
    writeFileSync(place('searched.yaml'), yaml);
    const space = ['--space', '{"notional":[500,900]}', '--objective', 'totalReturn', '--workers', '1'];
    const flags = '--interval 5m --trade regular,overnight --slippage-outside bps:3'.split(' ');
    const search = (...more: string[]) => drover(['optimise', ...more, ...space, '--json']);
    const studied = await search(...nightly('CCC'), ...flags, '--study', place('flags.study'));
    expect(studied).toMatchObject({ code: 0, err: '' });
    const { best, engineWhy } = JSON.parse(studied.out) as Study;
    expect(engineWhy).toContain('phases outside the session');
    const params = ['--params', JSON.stringify(best.params)];
    const { runId, phases } = resultOf(await play('CCC', ...flags, ...params));
    expect(best.runId).toBe(runId);
    expect(phases?.[0]).toMatchObject({ phase: 'overnight', fills: 44 });
    const own = await search(place('searched.yaml'), '--interval', '5m', '--study', place('config.study'));
    expect(own).toMatchObject({ code: 0, err: '' });
    const config = JSON.parse(own.out) as Study;
    const set = { ...config.best.params, symbol: 'CCC' };
    writeFileSync(place('best.yaml'), yaml.replace('{ symbol: CCC }', JSON.stringify(set)));
    const again = resultOf(await drover(['backtest', place('best.yaml'), '--interval', '5m', '--json']));
    expect(config.best.runId).toBe(again.runId);
    expect(again.phases?.[0]).toMatchObject({ phase: 'overnight', fills: 44 });
  });

  test('makes the same decisions when later bars are cut off', async () => {
    const run = await drover([
      'lookahead-check',
      ...nightly('AAA'),
      ...'--interval 5m --trade regular,overnight --histories 5'.split(' '),
    ]);
    expect(run.out).toContain('no look-ahead');
  });
});

test('a run over the post phase is repeated by --like, with fractions if its stock has them', async () => {
  const twin = STRATEGY.replace("at: '21:00'", "at: '17:00'").replace("at: '03:00'", "at: '18:00'");
  const bars = "bars: [{ symbol, interval: '5m', phases: ['post'], warmUp: 3 }],";
  const logged = "onBar: ({ bar, log }) => log('bar', { ...bar }),\n    onTimer(";
  writeFileSync(
    place('post.ts'),
    twin
      .replace("bars: [{ symbol, interval: '1d' }],", `quotes: [symbol], ${bars}`)
      .replace('onTimer(', logged),
  );
  const config = place('post.yaml');
  writeFileSync(
    config,
    [
      'mode: emulator',
      'trade: [regular, post]',
      'strategies: [{ id: night, use: ./post.ts, capital: 10000, params: { symbol: AAPL } }]',
    ].join('\n'),
  );
  const state = place('state');
  const flags = '--start 2026-06-15T15:55 --until 2026-06-15T18:30 --speed max --nights wait --json';
  expect(await drover(['run', config, '--state', state, ...flags.split(' ')])).toMatchObject({ code: 0 });
  const live = await drover([
    'report',
    '--state',
    state,
    '--save',
    place('live.json'),
    '--out',
    place('live.html'),
  ]);
  expect(live.code).toBe(0);
  const like = await drover(['backtest', config, '--like', state, '--json', '--save', place('like.json')]);
  expect(like.code).toBe(0);
  expect(like.err).not.toContain('regular session alone');
  const recordOf = (name: string) =>
    JSON.parse(readFileSync(place(name), 'utf8')) as Readonly<{
      fills: { side: string; shares: number; price: number }[];
      logs: { text: string; fields: object }[];
    }>;
  const [{ fills: run }, { fills: backtest, logs }] = [recordOf('live.json'), recordOf('like.json')];
  const journal = await drover(['journal', 'show', '--state', state, '--kind', 'bar', '--json']);
  const shown = journal.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { bar: object }).bar);
  expect(shown.length).toBeGreaterThan(25);
  expect(logs.map(({ fields }) => fields)).toEqual(shown);
  expect(countsOf(resultOf(like))).toEqual([
    ['regular', 0],
    ['post', 2],
  ]);
  expect(backtest.map(({ side, shares }) => [side, shares])).toEqual(
    run.map(({ side, shares }) => [side, shares]),
  );
  expect(Number.isInteger(run[0]?.shares)).toBe(false);
  backtest.forEach(({ price }, index) => expect(price / (run[index]?.price ?? NaN)).toBeCloseTo(1, 2));
});

test('limits on premiums use token prices that a run has read, only in --like; otherwise a line says so', async () => {
  const config = place('premium.yaml');
  const buys = STRATEGY.replace("at: '21:00'", "at: '10:00'").replace("at: '03:00'", "at: '10:20'");
  writeFileSync(place('buys.ts'), buys.replace("bars: [{ symbol, interval: '1d' }],", 'quotes: [symbol],'));
  const lines = (ratio: string) => [
    'mode: emulator',
    'limits: { premiumBps: 100 }',
    `stocks: { AAPL: { tokenRatio: '${ratio}' } }`,
    'strategies: [{ id: night, use: ./buys.ts, capital: 10000, params: { symbol: AAPL } }]',
  ];
  const dropsAt = async (ratio: string) => {
    writeFileSync(config, lines(ratio).join('\n'));
    const state = place(`premium-${ratio}`);
    const flags = '--start 2026-06-15T09:55 --until 2026-06-15T10:30 --speed max --json';
    expect(await drover(['run', config, '--state', state, ...flags.split(' ')])).toMatchObject({ code: 0 });
    const like = await drover(['backtest', config, '--like', state, '--json']);
    expect([like.code, like.err]).toEqual([0, expect.not.stringContaining('premiumBps')]);
    const { dropped, model } = JSON.parse(like.out) as Record<'dropped' | 'model', object>;
    expect(model).not.toHaveProperty('premiumLimits');
    return Object.keys(dropped).filter((why) => why.includes('premiumBps'));
  };
  expect(await dropsAt('1')).toEqual([]);
  expect(await dropsAt('0.98')).toMatchObject([expect.stringContaining('is at a premium of … bps')]);
  const own = ['--config', place('plain.yaml'), '--data', place('data'), '--interval', '5m'];
  writeFileSync(place('plain.yaml'), lines('1').join('\n').replace('symbol: AAPL', 'symbol: AAA'));
  const { code, err, out } = await drover(['backtest', ...own]);
  expect([code, err]).toEqual([0, expect.stringContaining('drover: limits.premiumBps is not applied')]);
  expect(out).toContain('limits on premiums not played');
});

describe('without bars outside the session', () => {
  test('a flag that asks for them is refused with the way to get them', async () => {
    const flags = ['--trade', 'regular,post'];
    expect(await play('BBB', '--interval', '5m', ...flags)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no bars outside the session for BBB: .*--sessions all/) as string,
    });
    expect(await play('AAA', ...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--interval 5m adds shorter ones') as string,
    });
  });

  test('a config that trades there plays the session only, and says so', async () => {
    const run = await drover(['backtest', place('drover.yaml'), '--json']);
    expect(run).toMatchObject({
      code: 0,
      err: expect.stringContaining('no bars outside the session for AAA') as string,
    });
    expect(resultOf(run).phases).toBeUndefined();
  });

  test.each([
    [['--trade', 'regular,night'], 'write phases of overnight, pre, regular, post'],
    [['--trade', 'post', '--interval', '5m'], 'must include regular'],
    [['--slippage-outside', 'bps:5'], '--slippage-outside: only with --trade'],
  ])('%j is refused', async (flags, why) => {
    const run = await play('AAA', ...flags);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining(why) as string });
  });
});
