import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

const SAID = 'Prices are generated, not those of a market';
const cwd = mkdtempSync(join(tmpdir(), 'drover-generated-'));
const call = (...argv: string[]) => drover(argv, { cwd });
const STRATEGY = [
  '--strategy',
  'sma-cross',
  '--params',
  '{"symbol":"TEST","fast":5,"slow":20}',
  '--data',
  'data',
];

beforeAll(async () => {
  // The tariff shock of 2025 is within this span.
  const span = ['--from', '2025-01-02', '--to', '2025-07-01', '--data', 'data'];
  expect((await call('data', 'generate', 'TEST', ...span)).code).toBe(0);
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe('generated prices', () => {
  test('head the output of a backtest and are a field of its JSON', async () => {
    expect((await call('backtest', ...STRATEGY)).out.startsWith(SAID)).toBe(true);
    const { out } = await call('backtest', ...STRATEGY, '--json');
    expect(JSON.parse(out)).toMatchObject({ generated: true });
  });

  test('head the report, also one drawn from a saved record', async () => {
    const { code } = await call('backtest', ...STRATEGY, '--report', 'run.html', '--save', 'run.json');
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'run.html'), 'utf8')).toContain(SAID);
    expect((await call('report', 'run.json', '--out', 'again.html')).code).toBe(0);
    const again = readFileSync(join(cwd, 'again.html'), 'utf8');
    expect(again.indexOf(SAID)).toBeLessThan(again.indexOf('class="setup"'));
  });

  test('head the output and page of a study, which scores no crisis on generated prices', async () => {
    const study = ['--space', '{"fast":[3,5]}', '--workers', '1', '--report', 'study.html'];
    const { out } = await call('optimise', ...STRATEGY, ...study, '--study', 'one.study');
    expect(out.startsWith(SAID)).toBe(true);
    expect(readFileSync(join(cwd, 'study.html'), 'utf8')).toContain(SAID);
    const { out: json } = await call(
      'optimise',
      ...STRATEGY,
      ...study.slice(0, 4),
      '--study',
      'two.study',
      '--json',
    );
    expect(JSON.parse(json)).toMatchObject({ generated: true, believe: { crises: [] } });
  });

  test('are no longer marked once exported to a file', async () => {
    writeFileSync(join(cwd, 'x.csv'), (await call('data', 'export', 'TEST', '--data', 'data')).out);
    const { out } = await call('backtest', ...STRATEGY.slice(0, 4), '--bars', 'TEST=x.csv', '--json');
    expect(JSON.parse(out)).toMatchObject({ generated: false });
  });
});
