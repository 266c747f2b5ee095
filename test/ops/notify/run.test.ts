import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../cli/support/commandLine.ts';
import { service } from './services.ts';

const config = (url: string) => `state: ./state
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '15:55' } }]
notify:
  telegramApi: ${url}
  channels:
    - { id: all, kind: slack, hears: [alarm, fill, orderEnd, stateChange, daySummary], digest: { over: 100 } }
    - { id: evening, kind: discord, hears: [daySummary] }
`;

test('a run reports its fill, its day and its end to those who want to hear of them', async () => {
  const web = await service();
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config(web.url));
  const argv = [
    'run',
    'run.yaml',
    '--start',
    '2026-06-15T15:50',
    '--until',
    '2026-06-15T16:10',
    '--speed',
    'max',
  ];
  const env = {
    DROVER_NOTIFY_ALL: `${web.url}/all-secret`,
    DROVER_NOTIFY_EVENING: `${web.url}/evening-secret`,
  };
  const ran = await drover(argv, { cwd, env });
  await web.close();
  expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('secret')]);
  const texts = (path: string) => web.got.filter(({ url }) => url === path).map(({ body }) => body);
  const all = texts('/all-secret');
  // On a busy machine several come in one message.
  const fills = [...all.join('\n').matchAll(/steady bought [\d.]+ SPY at [\d.]+, paid \d+\.\d\d mUSD/g)];
  expect(fills).toHaveLength(1);
  expect(all.filter((text) => text.includes('Run started'))).toHaveLength(1);
  expect(all.filter((text) => text.includes('Run ended'))).toHaveLength(1);
  const [summary = '', ...more] = texts('/evening-secret');
  expect(more).toEqual([]);
  expect(summary).toContain('Day 2026-06-15 (drover emulator)');
  expect(summary).toMatch(/steady: [+-]\d+\.\d\d mUSD, equity \d+\.\d\d mUSD/);
  expect(summary).toContain('orders today 1, filled 1, still open 0, waiting 0');
  expect(statSync(join(cwd, 'state', 'notify.sqlite')).mode & 0o777).toBe(0o600);
});
