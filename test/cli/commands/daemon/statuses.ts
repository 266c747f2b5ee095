import type { Status } from '../../../../src/ops/model/status.ts';

const ALARM_OF = {
  code: 'UNCLASSIFIED',
  severity: 'warning' as const,
  subject: { account: null, strategy: null, symbol: null },
  command: null,
  ends: null,
};
const NOTHING = { today: '0', total: '0', realised: '0', unrealised: '0', fees: '0' };

/** A run that trades two strategies, holds a stock, and has no open orders. */
export const QUIET: Status = {
  running: true,
  lastEnd: null,
  mode: 'emulator',
  account: 'an emulated account',
  version: '0.8.0',
  startedAt: '2026-03-10T13:25:00Z',
  killFiles: [],
  now: '2026-03-10T15:00:00Z',
  state: { trading: 'active', since: '2026-03-10T13:25:00Z', by: '', reason: '' },
  restrictions: [],
  session: {
    phase: 'regular',
    date: '2026-03-10',
    open: '2026-03-10T13:30:00Z',
    close: '2026-03-10T20:00:00Z',
  },
  equity: '6512.3004',
  cash: '6264.15',
  pnl: { today: '3.1', total: '12.3', realised: '11.18', unrealised: '1.12', fees: '0.114' },
  strategies: [
    {
      id: 'steady-mix',
      state: 'active',
      stopped: null,
      equity: '5012.3004',
      cash: '4764.15',
      pnl: { today: '3.1', total: '12.3', realised: '11.18', unrealised: '1.12', fees: '0.114' },
      positions: [
        {
          symbol: 'AAPL',
          shares: '1.2345678',
          averagePrice: '200.1',
          price: '201',
          value: '248.1504',
          unrealised: '1.12',
        },
      ],
      nextTimer: { name: 'rebalance', at: '2026-03-10T19:30:00Z' },
      warmUp: null,
    },
    {
      id: 'dca',
      state: 'active',
      stopped: null,
      equity: '1000',
      cash: '1000',
      pnl: NOTHING,
      positions: [],
      nextTimer: null,
      warmUp: null,
    },
  ],
  unallocated: { equity: '500', cash: '500', pnl: { ...NOTHING, today: null }, positions: [] },
  orders: [],
  waiting: [],
  heldOrders: [],
  unknown: 0,
  frozen: [],
  differences: [],
  todo: [],
  alarms: [],
  limits: [
    { name: 'dayLoss', scope: 'everything', used: '0', limit: '100' },
    { name: 'ordersPerMinute', scope: 'everything', used: '3', limit: '30' },
    { name: 'orderNotional', scope: 'everything', used: null, limit: '1000' },
  ],
  freshness: { quotesMs: 800, ordersMs: 2_400, accountMs: 14_000 },
  canSend: { ok: true, why: [] },
  canProtect: { ok: true, why: [] },
  ready: true,
};

/** The same run with open orders, close to its limits. */
export const BUSY: Status = {
  ...QUIET,
  orders: [
    {
      id: 'steady-mix-12',
      strategy: 'steady-mix',
      symbol: 'AAPL',
      side: 'buy',
      type: 'limit',
      status: 'working',
      ageMs: 185_000,
      reason: 'below its average',
      tag: null,
      text: 'buy 1.5 AAPL at 199.50',
    },
    {
      id: 'dca-3',
      strategy: 'dca',
      symbol: 'SPY',
      side: 'buy',
      type: 'market',
      status: 'sent',
      ageMs: 700,
      reason: 'weekly savings',
      tag: null,
      text: 'buy for 50.00 mUSD SPY',
    },
  ],
  limits: [
    { name: 'dayLoss', scope: 'strategy steady-mix', used: '85.004', limit: '100' },
    { name: 'grossNotional', scope: 'everything', used: '2000', limit: '2000' },
  ],
  strategies: QUIET.strategies.map((one) =>
    one.id === 'dca' ? { ...one, nextTimer: { name: 'buy', at: '2026-03-11T13:45:00Z' } } : one,
  ),
};

/** A run with everything wrong at once, and hostile texts that would break a screen. */
export const WRONG: Status = {
  ...BUSY,
  mode: 'live',
  account: '0x8c3d6dbb50796a20390f761d40e59d7548ce5e6e on chain 42161, ProductA',
  state: { trading: 'halted', since: '2026-03-09T15:02:00Z', by: 'ana (socket)', reason: 'the news' },
  restrictions: [
    {
      state: 'halted',
      cause: 'operator',
      strategy: null,
      symbol: null,
      since: '2026-03-09T15:02:00Z',
      by: 'ana (socket)',
      reason: 'the news',
    },
    {
      state: 'reducing',
      cause: 'operator',
      strategy: 'dca',
      symbol: 'SPY',
      since: '2026-03-10T14:02:00Z',
      by: 'ana (socket)',
      reason: 'too much of it',
    },
  ],
  session: { phase: 'closed', date: null, open: '2026-03-11T13:30:00Z', close: '2026-03-11T20:00:00Z' },
  strategies: BUSY.strategies.map((one) => (one.id === 'dca' ? { ...one, stopped: 'it threw' } : one)),
  orders: BUSY.orders.map((one) => (one.id === 'dca-3' ? { ...one, status: 'unknown' } : one)),
  unknown: 1,
  frozen: [{ symbol: 'TSLA', why: 'three orders in a row \u001b[2Jfailed' }],
  differences: [{ asset: 'mUSD', text: 'mUSD: 100 in the ledger, 90 at the venue' }],
  todo: [
    { text: 'order dca-3 has no answer', command: 'drover resolve dca-3 --reason TEXT', action: null },
    { text: 'One Click is off: nothing is sent', command: null, action: null },
  ],
  alarms: [
    {
      id: 'a1',
      at: '2026-03-09T15:00:00Z',
      text: 'order dca-3 has no answer '.repeat(8),
      count: 1,
      acknowledged: false,
      ...ALARM_OF,
    },
    { id: 'a2', at: '2026-03-10T14:59:00Z', text: 'seen already', count: 1, acknowledged: true, ...ALARM_OF },
  ],
  freshness: { quotesMs: null, ordersMs: 3_600_000, accountMs: 90_000_000 },
  ready: false,
};

/** The same account without a daemon. */
export const STOPPED: Status = {
  ...QUIET,
  running: false,
  lastEnd: { at: '2026-03-10T14:59:00Z', text: 'asked to stop by SIGINT' },
  ready: false,
};

const GUARD: Status['heldOrders'][number] = {
  id: 'trend-4',
  strategy: 'trend',
  symbol: 'AAPL',
  kind: 'stop',
  text: 'stop at 95 of all AAPL (guard)',
  state: 'armed',
  stateText: 'armed',
  suspended: null,
  protects: true,
  placedAt: '2026-03-10T14:00:00Z',
  notBefore: null,
  stop: '95',
  stopDistancePercent: -5.25,
  price: '100.26',
  takeProfit: null,
  secondTakeProfit: null,
  mark: '110',
  filled: '0',
  asked: null,
  filledNotional: '0',
  askedNotional: null,
  until: null,
  expires: '2026-03-10T20:00:00Z',
  exitAt: null,
  triggered: null,
  reason: 'guard',
  tag: null,
  children: [],
};

/** A run that holds a stop, and a bracket that cannot sell. */
export const HOLDING: Status = {
  ...QUIET,
  heldOrders: [
    GUARD,
    {
      ...GUARD,
      id: 'trend-7',
      symbol: 'SPY',
      kind: 'bracket',
      text: 'bracket: buy 2 SPY',
      state: 'suspended',
      stateText: 'its stop was touched; it cannot send: trading is halted: a holiday',
      suspended: 'trading is halted: a holiday',
      stop: '90',
      stopDistancePercent: 1,
      takeProfit: '110',
      secondTakeProfit: null,
      mark: null,
      filled: '1',
      asked: '2',
      expires: null,
      triggered: { at: '2026-03-10T14:59:00Z', cause: 'stop', price: '89' },
    },
  ],
};
