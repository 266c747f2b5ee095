import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drover, root, start, type Done, type Running } from '../e2e/cli.ts';

/** Instant at which the run in the pictures stands still, in its fourth session. New York time. */
const UNTIL = '2026-06-18T11:42';
/** Time of the bars of the backtests by day, and their stocks. */
const YEARS = ['--from', '2022-06-01', '--to', '2026-01-01'];
const FIRST = '2023-01-03';
const STOCKS = ['AAPL', 'AMZN', 'MSFT', 'NVDA', 'TSLA'];

/** A place to take pictures of. `url`: signs one browser in. */
export type Scene = Readonly<{ url: string; close: () => Promise<void> }>;

async function expectDone(done: Promise<Done>): Promise<Done> {
  const ended = await done;
  if (ended.code !== 0) throw new Error(`drover ended with ${ended.code}: ${ended.err}`);
  return ended;
}

async function end({ child, done }: Running): Promise<void> {
  child.kill('SIGTERM');
  await done;
}

const urlIn = (json: string): string => (JSON.parse(json) as { url: string }).url;

/** A run of some days on the emulator, which stands still at their end and continues at the speed of the clock. */
export async function startRun(folder: string): Promise<Scene & Readonly<{ state: string }>> {
  const state = join(folder, 'savings');
  const config = join(folder, 'week.yaml');
  copyFileSync(join(root, 'test/screenshots/week.yaml'), config);
  const run = (...flags: string[]) => ['run', config, '--state', state, ...flags];
  await expectDone(drover(run('--speed', 'max', '--until', UNTIL)));
  await saveRuns(folder, { config, state });
  const running = start(run('--speed', '1', '--listen', '127.0.0.1:0'));
  await running.line(/^control: /);
  const reason = 'its earnings come tonight';
  await expectDone(
    drover(['reduce', '--strategy', 'nvidia-ladder', '--reason', reason, '--yes', '--state', state]),
  );
  const { out } = await expectDone(drover(['dashboard', '--json', '--state', state]));
  return { state, url: urlIn(out), close: () => end(running) };
}

/** Backtests for the view of runs: the days of the run again, three of several years, and a truncated file. */
async function saveRuns(folder: string, { config, state }: Readonly<Record<'config' | 'state', string>>) {
  const saved = (name: string) => ['--save', join(folder, 'runs', name)];
  mkdirSync(join(folder, 'runs'));
  await expectDone(drover(['backtest', config, '--like', state, ...saved('same-days.json')]));
  const days = await dailyBars(folder);
  const trend = (fast: number) => ['sma-cross', { symbol: 'AAPL', fast, slow: 50 }] as const;
  for (const [name, [strategy, params]] of [
    ['apple-fast.json', trend(5)],
    ['apple-slow.json', trend(20)],
    ['rotation.json', ROTATION],
  ] as const)
    await expectDone(drover([...backtestOf(strategy, params, days), ...saved(name)]));
  writeFileSync(join(folder, 'runs', 'cut.json'), '{"format":1,"run":{');
}

/** Three daemons on one page, one of which does not run. `state`: of a run that exists already. */
export async function startFleet(folder: string, state: string): Promise<Scene> {
  const other = join(folder, 'default');
  const running = start(['run', '--state', other, '--start', '2026-06-15T10:00', '--speed', '1']);
  await running.line(/^control: /);
  const file = join(folder, 'fleet.yaml');
  const members = Object.entries({ savings: state, trend: other, spare: join(folder, 'spare') });
  const lines = members.map(([name, path]) => `  - { name: ${name}, state: '${path}' }`);
  writeFileSync(file, ['daemons:', ...lines, ''].join('\n'));
  const gateway = start(['dashboard', '--json', '--fleet', file]);
  const url = urlIn(await gateway.line(/"url"/));
  return {
    url,
    async close() {
      await end(gateway);
      await end(running);
    },
  };
}

/** Bars by day of several years. Returns their folder. */
async function dailyBars(folder: string): Promise<string> {
  const data = join(folder, 'bars');
  if (existsSync(data)) return data;
  mkdirSync(data);
  await expectDone(drover(['data', 'generate', ...STOCKS, ...YEARS, '--seed', '3', '--data', data]));
  return data;
}

const ROTATION = ['momentum-rotation', { symbols: STOCKS, top: 2, days: 60 }] as const;

const backtestOf = (strategy: string, params: object, data: string): string[] => [
  'backtest',
  '--strategy',
  strategy,
  '--params',
  JSON.stringify(params),
  '--data',
  data,
  '--from',
  FIRST,
];

/** Report of a backtest over generated days. Returns its file. */
export async function writeReport(folder: string): Promise<string> {
  const report = join(folder, 'report.html');
  await expectDone(drover([...backtestOf(...ROTATION, await dailyBars(folder)), '--report', report]));
  return report;
}
