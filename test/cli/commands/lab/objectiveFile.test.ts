import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';
import { walk } from '../../../lab/study/stage.ts';

test('--resume refuses a study whose objective is a file that has changed since', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-objective-'));
  const [objective, bars] = ['objective.ts', 'bars.csv'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const { start, open, high, low, close, volume } = walk(120);
  const rows = Array.from(start, (ts, i) => [ts, open[i], high[i], low[i], close[i], volume[i]].join(','));
  writeFileSync(bars, `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  const search = `--strategy sma-cross --bars X=${bars} --params {"symbol":"X","slow":20} --space {"fast":[2,3,4,5]}`;
  const flags = `${search} --method random --workers 1 --objective ${objective} --study ${join(folder, 'a.study')}`;
  const study = (...more: readonly string[]) => drover(['optimise', ...flags.split(' '), ...more]);
  writeFileSync(objective, 'export default ({ trades }) => trades;\n');
  expect(await study('--trials', '2')).toMatchObject({ code: 0 });
  expect(await study('--trials', '3', '--resume')).toMatchObject({ code: 0 });
  writeFileSync(objective, 'export default ({ metrics }) => metrics.totalReturn;\n');
  const { code, err } = await study('--trials', '4', '--resume');
  expect(err).toContain('is another study: functions was');
  expect(code).toBe(2);
}, 60_000);
