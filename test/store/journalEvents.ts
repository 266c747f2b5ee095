import { cash, price, shares } from '../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import type { Split } from '../../src/domain/corporateAction.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { Order, OrderId, OrderEvent } from '../../src/domain/orders/order.ts';
import type { OrderIntent } from '../../src/domain/orders/orderIntent.ts';
import type { Transfer, TransferEvent, TransferId } from '../../src/domain/transfers/transfer.ts';
import type { OrderReport, SignedRequest, SignedTransaction } from '../../src/domain/venue.ts';
import { LATER_KINDS, STRATEGY_EVENTS } from './strategyEvents.ts';
import { LATER_EVENTS } from './laterEvents.ts';
import { SYNTHETIC_EVENTS } from './syntheticEvents.ts';
import type { CommandId } from '../../src/domain/operator/restriction.ts';

const at = epochMs(Date.UTC(2026, 5, 15, 14, 30));
const deadline = epochSeconds(1_781_534_000);
const AAPL = ticker('AAPL');
const STOCK = '0x00000000000000000000000000000000000000a1';
const USDC = '0x00000000000000000000000000000000000000c1';
const HASH = `0x${'ab'.repeat(32)}`;
const orderId = 'alpha-1.1' as OrderId;
const transferId = 'op-1' as TransferId;
const wad = 1_000_000_000_000_000_000n;
/** Words that stored rows use for other things: within a value of a strategy or the venue they stay. */
const OPAQUE = {
  kind: 'told',
  owner: 'o',
  wish: { owner: 'o', want: { kind: 'wished' } },
  wishes: [{ owner: 'o' }],
  operation: { owner: 'o' },
  strategyId: 's',
  intent: 'i',
  transfer: { $n: '1' },
};

const request: SignedRequest = {
  method: 'POST',
  uri: '/api/v1/orders/send?owner=o',
  timestamp: at,
  nonce: 'n',
  body: JSON.stringify(OPAQUE),
};
const transaction: SignedTransaction = { chainId: 143, to: USDC, nonce: 7, raw: '0x01', txHash: HASH };

const intent: OrderIntent = {
  id: 'alpha-1',
  strategyId: 'alpha',
  symbol: AAPL,
  terms: {
    kind: 'limit',
    side: 'sell',
    quantity: shares(2n * wad),
    price: price(191n * wad),
    goodTill: 'day',
  },
  reason: 'owner of a wish',
  at,
  notBefore: at,
  outside: 'wait',
  after: ['alpha-0'],
};

const order: Order = {
  id: orderId,
  intentId: 'alpha-1',
  strategyId: 'alpha',
  terms: { symbol: AAPL, stock: STOCK, type: 'market', side: 'buy', notional: cash(100n * wad) },
  reserve: 101n * wad,
  reason: 'owner of a wish',
  plannedAt: at,
  state: { kind: 'planned' },
  cancel: { kind: 'none' },
};

const transfer: Transfer = {
  id: transferId,
  terms: { kind: 'repay', symbol: AAPL, token: STOCK, amount: shares(wad) },
  strategyId: 'alpha',
  cause: 'policy',
  value: cash(190n * wad),
  seen: { wallet: wad, debt: wad },
  plannedAt: at,
  state: { kind: 'planned' },
};

const report: OrderReport = {
  txHash: HASH,
  orderId: '0x01',
  status: 'filled',
  rawStatus: 'told',
  createdAt: at,
  terms: {
    symbol: AAPL,
    side: 'buy',
    type: 'market',
    quantity: null,
    notional: cash(100n * wad),
    price: null,
  },
  locked: null,
  settlement: {
    price: price(190n * wad),
    pay: 100n * wad,
    receive: wad / 2n,
    mintFee: cash(0n),
    protocolFee: cash(wad),
    txHash: HASH,
  },
  cause: 'none',
};

const split: Split = {
  symbol: AAPL,
  name: 'forward_split',
  exDate: '2026-06-15',
  kind: 'split',
  oldRate: wad,
  newRate: 2n * wad,
};

const orderEvents: readonly OrderEvent[] = [
  { kind: 'sent', at, deadline, txHash: HASH },
  { kind: 'accepted', txHash: HASH },
  { kind: 'refused', reason: 'told', unproven: true },
  { kind: 'lost', reason: 'reset' },
  { kind: 'mistaken', reason: 'mistaken' },
  { kind: 'abandoned', reason: 'killed' },
  { kind: 'reported', report },
  { kind: 'endClaimed', at, end: { kind: 'reported', report } },
  { kind: 'reopened', report },
  { kind: 'absent', assumed: false, replaced: true },
  { kind: 'cancelWanted' },
  { kind: 'cancelSent', deadline },
  { kind: 'cancelAccepted', txHash: HASH },
  { kind: 'cancelRefused', reason: 'told', at },
  { kind: 'cancelLost' },
];

const transferEvents: readonly TransferEvent[] = [
  { kind: 'sent', at, txHash: HASH },
  { kind: 'accepted', txHash: HASH },
  { kind: 'refused', reason: 'told' },
  { kind: 'lost', reason: 'reset' },
  { kind: 'abandoned', reason: 'killed' },
  {
    kind: 'reported',
    report: {
      txHash: HASH,
      status: 'success',
      rawStatus: 'operation',
      createdAt: at,
      moved: { token: USDC, amount: wad, received: null },
    },
  },
  { kind: 'shown' },
  { kind: 'reverted', cause: 'operation' },
  { kind: 'assumedGone' },
  { kind: 'replaced' },
];

type ByKind = { readonly [K in JournalEvent['kind']]: readonly Extract<JournalEvent, { kind: K }>[] };

/** At least one event of each kind, in the order of the lines of `test/fixtures/journalRows.txt`. */
const BY_KIND: ByKind = {
  epoch: [
    { kind: 'epoch', epoch: 1 },
    { kind: 'epoch', epoch: 2, assumptions: OPAQUE },
  ],
  ended: [{ kind: 'ended', why: 'told twice to stop', how: 'in order' }],
  opened: [{ kind: 'opened', cash: cash(wad), holdings: [[AAPL, shares(wad)]], equity: cash(191n * wad) }],
  allocated: [{ kind: 'allocated', strategyId: 'alpha', amount: cash(wad) }],
  intentCreated: [
    { kind: 'intentCreated', intent: intent },
    {
      kind: 'intentCreated',
      intent: { ...intent, terms: { kind: 'target', to: { weight: 0.5 }, band: 0.01 } },
    },
  ],
  intentDeferred: [{ kind: 'intentDeferred', id: 'alpha-1', notBefore: at, why: 'closed' }],
  intentEnded: [{ kind: 'intentEnded', id: 'alpha-1', how: 'done', why: 'filled' }],
  planned: [
    { kind: 'planned', order },
    {
      kind: 'planned',
      order: { ...order, claim: { at, end: { kind: 'refused', reason: 'told', unproven: true } } },
    },
  ],
  order: [
    ...orderEvents.map((event) => ({ kind: 'order', id: orderId, event }) as const),
    { kind: 'order', id: orderId, event: { kind: 'sent', at, deadline }, request },
  ],
  strategyState: [{ kind: 'strategyState', strategyId: 'alpha', state: OPAQUE }],
  strategyStopped: [{ kind: 'strategyStopped', strategyId: 'alpha', error: 'owner is not defined' }],
  strategyStarted: [{ kind: 'strategyStarted', strategyId: 'alpha' }],
  fillDelivered: [{ kind: 'fillDelivered', id: orderId }],
  external: [
    { kind: 'external', txHash: HASH, report, why: 'owner unknown', unaccepted: true },
    { kind: 'external', txHash: HASH, report: null, why: 'told' },
  ],
  externalAccepted: [{ kind: 'externalAccepted', txHash: HASH, reason: 'mine' }],
  externalCancel: [{ kind: 'externalCancel', txHash: HASH, event: { kind: 'refused', reason: 'no' } }],
  frozen: [{ kind: 'frozen', symbol: AAPL, why: 'told', shown: 'open' }],
  halted: [{ kind: 'halted', why: 'told' }],
  pinned: [
    { kind: 'pinned', pins: [{ subject: 'fees', terms: { owner: '1', operation: '2' } }], reason: 'new' },
  ],
  feeTaken: [{ kind: 'feeTaken', id: orderId, side: 'buy', bps: 10 }],
  doubtLifted: [{ kind: 'doubtLifted', id: orderId }],
  departed: [
    { kind: 'departed', subject: 'fees', terms: { owner: '1' } },
    { kind: 'departed', subject: 'stock AAPL', terms: null },
  ],
  released: [{ kind: 'released', symbol: AAPL, reason: 'seen', shown: 'open' }],
  resumed: [{ kind: 'resumed', reason: 'seen' }],
  balanceAccepted: [
    {
      kind: 'balanceAccepted',
      side: 'venue',
      asset: 'mUSD',
      strategyId: 'alpha',
      amount: wad,
      value: cash(wad),
      reason: 'gift',
    },
    {
      kind: 'balanceAccepted',
      side: 'wallet',
      asset: 'mUSD',
      strategyId: 'alpha',
      amount: wad,
      value: cash(wad),
      reason: 'deposit by another hand',
      txHash: HASH,
    },
  ],
  denied: [{ kind: 'denied', method: 'POST', path: '/operation', group: null }],
  nonceCancelled: [{ kind: 'nonceCancelled', nonce: 7, replaces: HASH, request: transaction }],
  difference: [{ kind: 'difference', asset: AAPL, side: 'wallet', expected: wad, actual: 0n }],
  walletOpened: [{ kind: 'walletOpened', tokens: [[USDC, wad]], stocks: [[AAPL, shares(wad)]] }],
  debtsOpened: [{ kind: 'debtsOpened', debts: [[AAPL, shares(wad)]] }],
  split: [
    { kind: 'split', action: split, intents: [intent, intent] },
    { kind: 'split', action: split, intents: [] },
  ],
  entitled: [
    {
      kind: 'entitled',
      action: {
        symbol: AAPL,
        name: 'cash_dividend',
        exDate: '2026-06-15',
        kind: 'payment',
        payableDate: null,
        perShare: cash(wad),
      },
      parts: [['alpha', cash(wad)]],
    },
  ],
  paid: [{ kind: 'paid', id: 'AAPL cash_dividend 2026-06-15' }],
  writtenOff: [
    {
      kind: 'writtenOff',
      strategyId: 'alpha',
      symbol: AAPL,
      quantity: shares(wad),
      value: cash(wad),
      why: 'gone',
    },
  ],
  transferPlanned: [
    { kind: 'transferPlanned', transfer: transfer },
    {
      kind: 'transferPlanned',
      transfer: {
        ...transfer,
        terms: {
          kind: 'approve',
          token: USDC,
          name: 'operation',
          spender: STOCK,
          amount: wad,
          before: 'cashDeposit',
        },
      },
    },
  ],
  transfer: [
    ...transferEvents.map((event) => ({ kind: 'transfer', id: transferId, event }) as const),
    { kind: 'transfer', id: transferId, event: { kind: 'sent', at }, request: transaction },
  ],
  treasuryStopped: [{ kind: 'treasuryStopped', why: 'operation' }],
  session: [{ kind: 'session', change: 'opened', date: '2026-06-15', equity: [['owner', cash(wad)]] }],
  dayBegan: [{ kind: 'dayBegan', date: '2026-06-15', equity: [['owner', cash(wad)]] }],
  sessionDoubted: [{ kind: 'sessionDoubted', date: '2026-06-15', named: 'post' }],
  started: [{ kind: 'started' }],
  stopping: [{ kind: 'stopping' }],
  bar: [
    {
      kind: 'bar',
      bar: { symbol: AAPL, interval: '1d', start: at, open: 1, high: 2, low: 0.5, close: 1.5, volume: 10 },
      warm: true,
    },
  ],
  instruments: [
    {
      kind: 'instruments',
      instruments: [
        {
          symbol: AAPL,
          address: STOCK,
          tradable: true,
          fractionable: true,
          overnightTradable: false,
          decimals: 18,
        },
      ],
    },
  ],
  quotes: [
    { kind: 'quotes', prices: [[AAPL, price(wad)]], phase: 'regular' },
    { kind: 'quotes', prices: [] },
  ],
  timer: [{ kind: 'timer', strategyId: 'alpha', timer: 'owner' }],
  operator: [
    {
      kind: 'operator',
      id: 'c1' as CommandId,
      by: 'ann',
      reason: 'told',
      command: { kind: 'trade', state: 'halted', scope: { strategyId: 'alpha', symbol: AAPL } },
    },
    {
      kind: 'operator',
      id: 'c2' as CommandId,
      by: 'ann',
      reason: 'told',
      command: { kind: 'order', symbol: AAPL, terms: { kind: 'sell', quantity: shares(wad) } },
    },
  ],
  operatorAnswered: [
    {
      kind: 'operatorAnswered',
      id: 'c1' as CommandId,
      answer: { kind: 'done', text: 'told', result: { left: [] } },
    },
  ],
  restricted: [
    {
      kind: 'restricted',
      state: 'reducing',
      cause: 'operator',
      scope: { strategyId: 'alpha' },
      by: 'ann',
      reason: 'told',
    },
  ],
  restrictionLifted: [
    {
      kind: 'restrictionLifted',
      cause: 'operator',
      scope: { strategyId: 'alpha' },
      by: 'ann',
      reason: 'told',
    },
  ],
  flattened: [{ kind: 'flattened', id: 'c1' as CommandId, why: 'nothing is left' }],
  ...SYNTHETIC_EVENTS,
  ...LATER_KINDS,
};

/** Fields that came later: their rows stand at the end, so that those of before keep their places. */
const WITH_LATER_FIELDS: readonly JournalEvent[] = [
  { kind: 'flattened', id: 'c1' as CommandId, why: 'nothing is left', left: ['0.5 AAPL of alpha: dust'] },
  {
    kind: 'restricted',
    state: 'halted',
    cause: 'operator',
    scope: {},
    by: 'ann',
    reason: 'told',
    command: 'c1' as CommandId,
  },
  {
    kind: 'balanceAccepted',
    side: 'venue',
    asset: AAPL,
    strategyId: '',
    amount: wad,
    value: cash(wad),
    reason: 'stock deposit by another hand',
    txHash: HASH,
  },
];

export const EVENTS: readonly JournalEvent[] = [
  ...Object.values(BY_KIND).flat(),
  ...STRATEGY_EVENTS,
  ...WITH_LATER_FIELDS,
  ...LATER_EVENTS,
];
