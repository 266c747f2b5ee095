import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drover, requestsOf, withDaemon, type Daemon } from './liveDaemon.ts';
import { YEAR } from './report.ts';
import { median, timed, type Result } from './result.ts';

const ROUNDS = 8;
/** Reports per round, one after the other: a request takes 15 to 60 ms at random, so a mean needs many. */
const REPORTS = 4;
/** How often prices are read, in ms: fifty times as often as usual. */
const QUOTES_MS = 100;

/** Measures the requests of a daemon with a year in its journal while `drover report` reads that year, against those without a report. */
export const reportBeside = (): Promise<Result[]> =>
  withDaemon({ journal: YEAR, quotesMs: QUOTES_MS }, async (daemon) => {
    const [values, ratios] = [[] as number[], [] as number[]];
    const reports = async () => {
      for (let report = 0; report < REPORTS; report++) await reported(daemon);
    };
    let reportsMs = await timed(reports);
    for (let count = 0; count < ROUNDS; count++) {
      const wait = reportsMs;
      const alone = await requestMs(daemon, () => pause(wait));
      const beside = await requestMs(daemon, async () => {
        reportsMs = await timed(reports);
      });
      values.push(beside);
      ratios.push(beside / alone);
    }
    const ratio = { vs: 'a request without a report beside it', x: median(ratios) };
    const unit = `ms a request of a daemon beside a report of ${(reportsMs / REPORTS / 1_000).toFixed(1)} s`;
    return [{ name: 'report-beside', value: median(values), unit, ratio }];
  });

async function reported({ state, folder }: Daemon): Promise<void> {
  const [code] = (await once(
    drover(['report', '--state', state, '--out', join(folder, 'report.html')]),
    'close',
  )) as [number];
  if (code !== 0) throw new Error(`drover report ended with ${code}`);
}

/** Mean time in ms of the daemon's requests while `work` runs. */
async function requestMs(daemon: Daemon, work: () => Promise<unknown>): Promise<number> {
  const before = await requestsOf(daemon);
  await work();
  const after = await requestsOf(daemon);
  return ((after.seconds - before.seconds) / (after.count - before.count)) * 1_000;
}
