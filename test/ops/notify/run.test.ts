/** @module-tag heavy */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

test('a run reports its fills, its day and its end to the channels subscribed to them', async () => {
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

const killed = (url: string) => `state: ./state
emulator: { start: '2026-06-15T10:00', speed: 60 }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '15:55' } }]
notify:
  telegramApi: ${url}
  channels:
    - { id: team, kind: slack, hears: [alarm, stateChange] }
    - { id: phone, kind: telegram, hears: [alarm] }
`;
const UPGRADED =
  '{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1005}}';

test('the alarm of a kill file waits for a Telegram group whose number changed, and arrives once it is set', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const kill = join(cwd, 'state', 'KILL');
  const taken: string[] = [];
  const web = await service(({ url, body }, response) => {
    if (url === '/team' && body.includes('Run started') && taken.length === 0) writeFileSync(kill, '');
    const { chat_id: chat } = JSON.parse(body) as { chat_id?: string };
    if (chat === '-55') return void response.writeHead(400).end(UPGRADED);
    taken.push(`${chat ?? 'team'}: ${body}`);
    response.end('{"ok":true}');
  });
  writeFileSync(join(cwd, 'run.yaml'), killed(web.url));
  const run = (chat: string, until: string) =>
    drover(['run', 'run.yaml', '--until', `2026-06-15T${until}`], {
      cwd,
      env: { DROVER_NOTIFY_TEAM: `${web.url}/team`, DROVER_NOTIFY_PHONE: `123456:AAbbCCddEE/${chat}` },
    });
  const first = await run('-55', '10:12');
  expect(first.out).toContain(
    'notifications by phone are not delivered: HTTP 400: "Bad Request: group chat was upgraded to a supergroup chat". The chat is now -1005: make DROVER_NOTIFY_PHONE (address of notify.channels[1], phone) BOT_TOKEN/-1005',
  );
  expect(taken.some((text) => text.startsWith('team') && text.includes('group chat was upgraded'))).toBe(
    true,
  );
  expect(taken.filter((text) => !text.startsWith('team'))).toEqual([]);
  rmSync(kill);
  await run('-1005', '10:14');
  await web.close();
  const [alarm = '', ...more] = taken.filter((text) => text.startsWith('-1005') && text.includes(kill));
  expect([alarm, more]).toEqual([expect.not.stringContaining('were dropped'), []]);
});
