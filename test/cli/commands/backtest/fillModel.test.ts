import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { d10 } from '../../../../bench/bars.ts';
import { tradingCalendar } from '../../../../src/calendar/index.ts';
import { drover } from '../../support/commandLine.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const model = (body: string) =>
  `import { defineFill } from 'drover/strategy';\n\nexport default defineFill({\n  name: 'mine',\n  fill: ({ order, quote }) => ${body},\n});\n`;
/** Files by their mistake, with the line of their function. */
const WRONG = [
  [
    'throws.ts',
    model("{ throw new Error('no ' + order.side); }"),
    5,
    'no buy (thrown by the fill model mine',
  ],
  ['nan.ts', model('({ price: NaN, shares: order.shares })'), 5, 'the fill model mine gave a price of NaN'],
  ['clock.ts', model('({ price: quote.price + Date.now() * 0, shares: order.shares })'), 5, 'have no clock'],
  [
    'chance.ts',
    model('({ price: quote.price + Math.random() * 0, shares: order.shares })'),
    5,
    'has no random numbers',
  ],
  [
    'files.ts',
    `import { readFileSync } from 'node:fs';\n${model('readFileSync("/etc/passwd")')}`,
    1,
    'built-in module',
  ],
  ['none.ts', 'export default 5;\n', 0, 'the default export is not a fill model'],
] as const;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-fill-'));
  const { start, open, high, low, close, volume } = d10().columns;
  const rows = Array.from(start.subarray(0, 400), (ts, i) =>
    [ts, open[i], high[i], low[i], close[i], volume[i]].join(','),
  );
  writeFileSync(at('bars.csv'), `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  cpSync('docs/examples/half-volume.ts', at('half-volume.ts'));
  writeFileSync(at('plain.ts'), model('({ price: quote.price, shares: order.shares })'));
  for (const [name, text] of WRONG) writeFileSync(at(name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const given = () => ['--strategy', 'sma-cross', '--bars', `X=${at('bars.csv')}`];
const PARAMS = '{"symbol":"X","fast":5,"slow":20}';
const backtest = (...more: readonly string[]) =>
  drover(['backtest', '--json', ...given(), '--params', PARAMS, ...more], { cwd: folder });
async function resultOf(...more: readonly string[]) {
  const { out, err, code } = await backtest(...more);
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as Readonly<{ runId: string; pnl: string; trades: number; model: { fill: string } }>;
}

test('a fill model from a file fills a backtest, is named in the result and is part of its run id', async () => {
  const [own, again, plain] = [
    await resultOf('--fill', './half-volume.ts'),
    await resultOf('--fill', at('half-volume.ts')),
    await resultOf('--fill', './plain.ts'),
  ];
  expect(own.model.fill).toBe('half-volume');
  expect(own.trades).toBeGreaterThan(0);
  expect(again.runId).toBe(own.runId);
  expect(plain.runId).not.toBe(own.runId);
  expect(Number(plain.pnl)).toBeGreaterThan(Number(own.pnl));
});

test('the look-ahead check runs with a fill model from a file', async () => {
  const check = await drover(
    ['lookahead-check', '--histories', '5', ...given(), '--params', PARAMS, '--fill', './half-volume.ts'],
    { cwd: folder },
  );
  expect(check).toMatchObject({ code: 0 });
});

test('a study with a fill model from a file runs on the full engine and says so', async () => {
  const { out, err, code } = await drover(
    [
      'optimise',
      '--json',
      '--workers',
      '1',
      ...given(),
      '--params',
      '{"symbol":"X","slow":20}',
      '--space',
      '{"fast":[4,6]}',
    ].concat(['--walk-forward', '150d/100d', '--study', at('own.study'), '--fill', './half-volume.ts']),
    { cwd: folder },
  );
  expect({ code, err }).toMatchObject({ code: 0 });
  const study = JSON.parse(out) as Readonly<{
    trials: number;
    failed: number;
    engine?: unknown;
    best: { runId: string };
  }>;
  expect(study).toMatchObject({ trials: 2, failed: 0 });
  expect(`${out}\n${err}`).toContain('the fill model half-volume');
});

test.each(WRONG)(
  'the fill model %s ends the backtest with the file and the line',
  async (...[name, , line, why]) => {
    const { code, err } = await backtest('--fill', `./${name}`);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(why);
    expect(err).toContain(line > 0 ? `${at(name)}:${line}:` : at(name));
  },
);

test('a fill model whose file is missing is refused by its path', async () => {
  const { code, err } = await backtest('--fill', './missing.ts');
  expect(code).toBe(2);
  expect(err).toContain(`${at('missing.ts')}: there is no such file`);
});

test('--slippage together with a fill model that sets the price is refused', async () => {
  const { code, err } = await backtest('--fill', './plain.ts', '--slippage', 'bps:5');
  expect(code).toBe(2);
  expect(err).toContain('the fill model mine says the price of each fill: leave slippage out');
});

test('prices below the tick are named only if orders fill as at the venue', async () => {
  const rows = Array.from({ length: 30 }, (_, day) => {
    const [date] = new Date(Date.UTC(2026, 5, 1 + day)).toISOString().split('T');
    return tradingCalendar.sessionOn(date ?? '') ? `${date},1e-7,1e-7,1e-7,1e-7,1000` : '';
  });
  writeFileSync(at('tiny.csv'), `ts,open,high,low,close,volume\n${rows.filter(Boolean).join('\n')}\n`);
  const played = (...more: readonly string[]) =>
    drover(
      [
        'backtest',
        '--strategy',
        'sma-cross',
        '--bars',
        `X=${at('tiny.csv')}`,
        '--params',
        '{"symbol":"X","fast":2,"slow":3}',
        ...more,
      ],
      { cwd: folder },
    );
  expect((await played()).err).toContain('X 1d: prices as low as 1e-7 are below the tick');
  expect((await played('--fill', 'next-open')).err).not.toContain('below the tick');
});
