import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drover, root, start, type Done, type Running } from '../e2e/cli.ts';

/** Instant at which the run of the pictures stands, in its fourth session. New York time. */
const UNTIL = '2026-06-18T11:42';
/** Time of the bars of the report, and its stocks. */
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

/** A run of some days on the emulator, which stands where they end: from there it goes on at the speed of the clock. */
export async function startRun(folder: string): Promise<Scene & Readonly<{ state: string }>> {
  const state = join(folder, 'savings');
  const config = join(root, 'test/screenshots/week.yaml');
  const run = (...flags: string[]) => ['run', config, '--state', state, ...flags];
  await expectDone(drover(run('--speed', 'max', '--until', UNTIL)));
  const running = start(run('--speed', '1', '--listen', '127.0.0.1:0'));
  await running.line(/^control: /);
  const reason = 'its earnings come tonight';
  await expectDone(
    drover(['reduce', '--strategy', 'nvidia-ladder', '--reason', reason, '--yes', '--state', state]),
  );
  const { out } = await expectDone(drover(['dashboard', '--json', '--state', state]));
  return { state, url: urlIn(out), close: () => end(running) };
}

/** Three daemons of which one does not run, on one page. `state`: of a run that is there already. */
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

/** Report of a backtest over generated days. Returns its file. */
export async function writeReport(folder: string): Promise<string> {
  const data = join(folder, 'bars');
  const report = join(folder, 'report.html');
  mkdirSync(data);
  await expectDone(drover(['data', 'generate', ...STOCKS, ...YEARS, '--seed', '3', '--data', data]));
  const params = JSON.stringify({ symbols: STOCKS, top: 2, days: 60 });
  const flags = ['--strategy', 'momentum-rotation', '--params', params, '--data', data, '--from', FIRST];
  await expectDone(drover(['backtest', ...flags, '--report', report]));
  return report;
}
