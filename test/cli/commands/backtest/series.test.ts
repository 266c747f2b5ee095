import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { d10 } from '../../../../bench/bars.ts';
import { drover } from '../../support/commandLine.ts';

/** Holds as many shares as the latest row says. */
const MOODY = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'moody',
  description: 'Follows a series.',
  params: z.strictObject({ times: z.int().min(1).max(3).default(1) }),
  data: () => ({ bars: [{ symbol: 'X', interval: '1d' }], series: [{ name: 'mood', numbers: ['level'] }] }),
  create: ({ params }) => ({
    onBar({ view, order }) {
      order.target('X', { shares: params.times * (view.series('mood').at(0)?.number('level') ?? 0) });
    },
  }),
});
`;

let folder = '';
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-moody-'));
  const { start, open, high, low, close, volume } = d10().columns;
  const rows = Array.from(start.subarray(0, 60), (ts, i) =>
    [ts, open[i], high[i], low[i], close[i], volume[i]].join(','),
  );
  writeFileSync(at('bars.csv'), `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(at('moody.ts'), MOODY);
  writeFileSync(at('mood.csv'), 'known,level\n2015-01-15,3\n2015-02-10,0\n2015-02-20,5\n');
  writeFileSync(at('other.csv'), 'known,level\n2015-01-15,3\n2015-02-10,0\n2015-02-20,6\n');
  writeFileSync(
    at('run.yaml'),
    'strategies:\n  - { id: one, use: ./moody.ts, capital: 100000, series: { mood: mood.csv } }\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const bars = () => ['--bars', `X=${at('bars.csv')}`];
const flags = (file: string) => ['--strategy', at('moody.ts'), '--series', `mood=${at(file)}`, ...bars()];

async function backtest(...given: string[]) {
  const { out, err, code } = await drover(['backtest', '--json', ...given], { cwd: folder });
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as Readonly<{ runId: string; orders: number; trades: number }>;
}

test('a series given by flag, by config or to an isolated strategy is played, and its rows are part of the run id', async () => {
  const [flag, isolated, other, config] = [
    await backtest(...flags('mood.csv')),
    await backtest(...flags('mood.csv'), '--isolate'),
    await backtest(...flags('other.csv')),
    await backtest(at('run.yaml'), ...bars()),
  ];
  expect(flag).toMatchObject({ orders: { filled: 3 } });
  expect(isolated.runId).toBe(flag.runId);
  expect(other.runId).not.toBe(flag.runId);
  expect(config.orders).toEqual(flag.orders);
});

test('a strategy that follows a series can be searched, and passes the look-ahead check', async () => {
  const check = await drover(['lookahead-check', '--histories', '10', ...flags('mood.csv')]);
  expect(check).toMatchObject({ code: 0 });
  const search = [
    'optimise',
    '--method',
    'grid',
    '--workers',
    '1',
    '--study',
    at('a.study'),
    ...flags('mood.csv'),
  ];
  expect(await drover(search, { cwd: folder })).toMatchObject({ code: 0 });
  const others = await drover([...search, '--resume', '--series', `mood=${at('other.csv')}`], {
    cwd: folder,
  });
  expect(others.err).toContain('mood is given twice');
  const [own, ...rest] = [search.map((word) => word.replace('mood.csv', 'other.csv')), '--resume'];
  expect((await drover([...own, ...rest], { cwd: folder })).err).toContain('series');
});

test('a space in which no set fits the strategy is refused with the reason for one of the sets', async () => {
  const search = (space: string, ...more: string[]) =>
    drover(['optimise', ...flags('mood.csv'), '--space', space, ...more], { cwd: folder });
  const { err, code } = await search('{"times":[2.5]}');
  expect(code).toBe(2);
  expect(err).toMatch(/For example \{"times":2\.5\}: .*times.* Widen the space/);
  const crossed = [
    '--strategy',
    'sma-cross',
    '--params',
    '{"symbol":"X"}',
    '--space',
    '{"fast":[1000000000]}',
  ];
  const rule = await drover(['optimise', ...crossed, ...bars()], { cwd: folder });
  expect(rule.err).toContain('For example {"fast":1000000000}: slow must be more than fast. Widen');
  const other = await search('{"times":[1,2]}', '--constraint', 'times > 2');
  expect(other.err).toContain('For example {"times":1}: --constraint is not met.');
});
