import { expect, test } from 'vitest';
import { cutLine, screenOf } from '../../../../src/cli/commands/daemon/screen.ts';
import type { Status } from '../../../../src/ops/model/status.ts';
import { BUSY, HOLDING, QUIET, STOPPED, WRONG } from './statuses.ts';

const drawn = (status: Status, width = 80): string[] => screenOf(status, width).map(({ text }) => text);
const cut = (status: Status, width: number): string[] =>
  screenOf(status, width).map((one) => cutLine(one, width).text);
const toneOf = (status: Status, word: string) =>
  screenOf(status, 80).find(({ text }) => text.includes(word))?.tone;

test('the screen of a quiet run shows state, session, money that adds up, positions, limits and timers', () => {
  expect(drawn(QUIET)).toEqual([
    'state    ACTIVE since 2026-03-10 09:25',
    'session  regular 2026-03-10; closes 16:00 in 5 h',
    'run      emulator, an emulated account, drover 0.8.0, since 2026-03-10 09:25',
    'now      2026-03-10 11:00 in New York; read quotes 0 s ago, orders 2 s ago,',
    '         account 14 s ago',
    '',
    'mUSD            cash   equity  today  in all  fees',
    'steady-mix   4764.15  5012.30  +3.10  +12.30  0.11',
    'dca          1000.00  1000.00   0.00    0.00  0.00',
    'unallocated   500.00   500.00      –    0.00  0.00',
    'total        6264.15  6512.30  +3.10  +12.30  0.11',
    '',
    'position  of            shares  average   price   value  unrealised',
    'AAPL      steady-mix  1.234567   200.10  201.00  248.15       +1.12',
    '',
    'no open orders',
    '',
    'limit            of          used',
    'dayLoss          everything  [..........]   0 %  0  of 100',
    'ordersPerMinute  everything  [#.........]  10 %  3  of 30',
    'orderNotional    everything                         at most 1000',
    '',
    'next',
    'steady-mix  rebalance  15:30  in 4 h 30 min',
  ]);
});

test('the screen shows amounts with few digits, and commands to copy with all', () => {
  const long = '45.980349450655824984';
  const text = `sell ${long} AAPL`;
  const lines = drawn({
    ...HOLDING,
    orders: BUSY.orders.map((order) => ({ ...order, text, reason: `half of ${long}` })),
    waiting: [{ id: 'w1', strategy: 'dca', symbol: 'AAPL', notBefore: QUIET.now, text }],
    heldOrders: HOLDING.heldOrders.map((held) => ({ ...held, text, stateText: text, state: 'working' })),
    todo: [{ text, command: `drover accept AAPL --shares ${long}`, action: null }],
    alarms: WRONG.alarms.map((alarm) => ({ ...alarm, text })),
    dust: [{ asset: 'AAPL', amount: '0.000000000000000307', moved: long, looks: 1, bound: '0.000001' }],
    canSend: { ok: false, why: [text] },
  });
  const shown = lines
    .filter((line) => !line.includes('drover accept'))
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  expect(shown).not.toMatch(/\d\.\d{7}/);
  expect(shown).toContain('AAPL: <0.000001 between ledger and venue; 1 changes today, 45.980349 in all');
  expect(shown).toContain('sell 45.980349 AAPL');
  expect(lines.join('\n')).toContain(`drover accept AAPL --shares ${long}`);
});

test('the screen shows the bar at which a strategy decides next', () => {
  const at = '2026-03-10T15:05:00Z';
  const strategies = QUIET.strategies.map((one) => ({ ...one, nextDecision: { on: '5m bar', at } }));
  expect(drawn({ ...QUIET, strategies }).slice(-2)).toEqual([
    'steady-mix  5m bar  11:05  in 5 min',
    'dca         5m bar  11:05  in 5 min',
  ]);
});

test('the total shows no profit of the day while there is unallocated stock', () => {
  const [position] = QUIET.strategies.flatMap(({ positions }) => positions);
  const unallocated = { ...QUIET.unallocated, positions: position ? [position] : [] };
  expect(drawn({ ...QUIET, unallocated })).toContain('total        6264.15  6512.30      –  +12.30  0.11');
});

test('the screen of a busy run shows open orders with age and reason, and limits that are nearly used', () => {
  const lines = drawn(BUSY);
  expect(
    lines.slice(lines.indexOf('open orders: 2  status   age                            reason')),
  ).toEqual([
    'open orders: 2  status   age                            reason',
    'steady-mix-12   working  3 min  buy 1.5 AAPL at 199.50  below its average',
    'dca-3           sent     0 s    buy for 50.00 mUSD SPY  weekly savings',
    '',
    'limit          of                   used',
    'dayLoss        strategy steady-mix  [#########.]   85 %  85.00  of 100',
    'grossNotional  everything           [##########]  100 %   2000  of 2000',
    '',
    'next',
    'steady-mix  rebalance  15:30             in 4 h 30 min',
    'dca         buy        2026-03-11 09:45  in 22 h 45 min',
  ]);
  const dust = [{ asset: 'mUSD', amount: '-0.0002', moved: '0.0002', looks: 200, bound: '0.01' }];
  const shown = drawn({ ...BUSY, dust })
    .join('\n')
    .replaceAll(/\s+/g, ' ');
  expect(shown).toContain(
    'dust mUSD: -0.0002 between ledger and venue; 200 changes today, 0.0002 in all, limit 0.01',
  );
  expect([toneOf(BUSY, 'dayLoss'), toneOf(BUSY, 'grossNotional')]).toEqual(['warning', 'bad']);
});

test('the screen of a run with everything wrong shows who stopped what, what to do, and unseen alarms', () => {
  const lines = drawn(WRONG);
  expect(lines.slice(0, 8)).toEqual([
    'state    NOT READY: nothing is placed until the venue agrees; HALTED since',
    '         2026-03-09 11:02 by ana (socket): the news',
    '         SPY of dca: reducing since 2026-03-10 10:02 by ana (socket): too much',
    '         of it',
    'session  closed; opens 2026-03-11 09:30 in 22 h 30 min',
    'run      live, 0x8c3d6dbb50796a20390f761d40e59d7548ce5e6e on chain 42161,',
    '         ProductA, drover 0.8.0, since 2026-03-10 09:25',
    'now      2026-03-10 11:00 in New York; read quotes not yet, orders 1 h ago,',
  ]);
  expect(lines.slice(lines.indexOf('to do'), lines.indexOf('to do') + 8)).toEqual([
    'to do',
    '! order dca-3 has no answer',
    '    drover resolve dca-3 --reason TEXT',
    '! One Click is off: nothing is sent',
    String.raw`! TSLA is frozen: three orders in a row \u001b[2Jfailed`,
    '    drover unfreeze TSLA --reason TEXT',
    '! mUSD: 100 in the ledger, 90 at the venue',
    '    drover reconcile',
  ]);
  expect(lines).toContain('dca (stopped)  1000.00  1000.00   0.00    0.00  0.00');
  expect(lines).toContain('unknown: 1, the venue may or may not have them');
  expect(lines).toContain('alarms: 1; `drover ack` marks them as seen');
  expect(lines.join('\n')).not.toContain('seen already');
  expect(toneOf(WRONG, 'dca-3           unknown')).toBe('bad');
});

test('the screen shows held orders with their prices, their progress and who watches them', () => {
  const of = (status: Status) => {
    const lines = drawn(status);
    return lines.slice(lines.findIndex((text) => text.startsWith('held orders')));
  };
  expect(of(HOLDING).slice(0, 6)).toEqual([
    'held orders: 2  state       stop     away  take profit',
    'trend-4         armed      95.00  -5.25 %            –  stop at 95 of all AAPL (guard)',
    '  highest price 110.00; expires 16:00',
    'trend-7         suspended  90.00  +1.00 %       110.00  bracket: buy 2 SPY',
    '  its stop was touched; it cannot send: trading is halted: a holiday; filled 1',
    '  of 2',
  ]);
  expect(of(HOLDING)).toContain('This bot holds them, not the venue: they work only while this run does.');
  expect(of({ ...HOLDING, running: false })).toContain(
    'The bot held them, not the venue: nobody watches them until the next run.',
  );
  expect(toneOf(HOLDING, 'trend-7')).toBe('bad');
});

test.each([40, 60, 80])('no line of the screen is wider than %d characters', (width) => {
  for (const status of [QUIET, BUSY, WRONG, STOPPED, HOLDING])
    expect(cut(status, width).filter((text) => text.length > width)).toEqual([]);
});

test('a narrow screen shows limits without bars, and breaks commands as a shell reads them', () => {
  const scope = 'NVDA of strategy nvidia-ladder';
  const command = 'drover resume --strategy apple-trend --reason TEXT --state /tmp/drover-run-nMI5o5';
  const lines = drawn({
    ...BUSY,
    limits: [
      { name: 'positionNotional', scope, used: '6006.37', limit: '12000' },
      { name: 'orderNotional', scope: 'everything', used: null, limit: '10000' },
    ],
    todo: [{ text: 'trading of strategy apple-trend is halted', command, action: null }],
  });
  const after = (head: string) => lines.slice(lines.findIndex((text) => text.startsWith(head)));
  expect(after('limit ').slice(0, 3)).toEqual([
    'limit             of                              used',
    'positionNotional  NVDA of strategy nvidia-ladder  50 %  6006.37  of 12000',
    'orderNotional     everything                                     at most 10000',
  ]);
  expect(after('to do').slice(0, 4)).toEqual([
    'to do',
    '! trading of strategy apple-trend is halted',
    '    drover resume --strategy apple-trend --reason TEXT --state \\',
    '      /tmp/drover-run-nMI5o5',
  ]);
});

test('the screen without a daemon says when and how the last run ended', () => {
  const [state, more, next] = drawn(STOPPED);
  expect([state, more, next]).toEqual([
    'state    NOT RUNNING since 2026-03-10 10:59: asked to stop by SIGINT; ACTIVE',
    '         since 2026-03-10 09:25',
    'run      emulator, an emulated account, drover 0.8.0, since 2026-03-10 09:25',
  ]);
  expect(drawn({ ...STOPPED, lastEnd: null })[0]).toContain('NOT RUNNING, and the last run recorded no end;');
});

test('the screen shows a second cause of the same trading state', () => {
  const [, second] = drawn({
    ...WRONG,
    ready: true,
    restrictions: [
      ...WRONG.restrictions.slice(0, 1),
      {
        state: 'halted',
        cause: 'kill file',
        strategy: null,
        symbol: null,
        since: '2026-03-10T14:59:00Z',
        by: 'file',
        reason: 'KILL',
      },
    ],
  });
  expect(second).toBe('         everything: halted (kill file) since 2026-03-10 10:59 by file: KILL');
});
