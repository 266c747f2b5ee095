import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';
import { walk } from '../../../lab/study/stage.ts';

/** Starts searches by the file of an objective in a folder of their own. */
function searches() {
  const folder = mkdtempSync(join(tmpdir(), 'drover-objective-'));
  const [objective, bars] = ['objective.ts', 'bars.csv'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const { start, open, high, low, close, volume } = walk(120);
  const rows = Array.from(start, (ts, i) => [ts, open[i], high[i], low[i], close[i], volume[i]].join(','));
  writeFileSync(bars, `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(objective, 'export default ({ trades }) => trades;\n');
  const search = `--strategy sma-cross --bars X=${bars} --params {"symbol":"X","slow":20} --space {"fast":[2,3,4,5]}`;
  const flags = `${search} --method random --workers 1 --objective ${objective} --study ${join(folder, 'a.study')}`;
  const study = (...more: readonly string[]) => drover(['optimise', ...flags.split(' '), ...more]);
  return { objective, study };
}

test('--resume refuses a study whose objective is a file that has changed since', async () => {
  const { objective, study } = searches();
  expect(await study('--trials', '2')).toMatchObject({ code: 0 });
  expect(await study('--trials', '3', '--resume')).toMatchObject({ code: 0 });
  writeFileSync(objective, 'export default ({ metrics }) => metrics.totalReturn;\n');
  const { code, err } = await study('--trials', '4', '--resume');
  expect(err).toContain('is another study: functions was');
  expect(code).toBe(2);
}, 60_000);

test.each([
  ['of one name', 'sharpe,fees,max:sharpe', 'sharpe is named twice'],
  ['that are more than four', 'sharpe,fees,cagr,omega,calmar', '5 objectives; give at most 4'],
])('objectives %s are refused', async (_name, objectives, why) => {
  const { code, err } = await searches().study('--objective', objectives);
  expect(err).toContain(`--objective: ${why}`);
  expect(code).toBe(2);
});
