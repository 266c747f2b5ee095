import { FORMS, type FaultRule, BUSY } from '../../src/emulator/state/faultRules.ts';
import type { FaultPlan } from '../../src/emulator/faults/plan.ts';
import type { Random } from '../../src/core/random.ts';
import { READS_OF_A_SEND } from './faces.ts';
import type { Episode, Submission } from './plan.ts';

const MINUTE = 60_000;
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';
const LIST = 'GET /api/v1/orders';
const PRICES = 'GET /api/v1/symbols';

/** Endpoint to which the orders of a run are sent: faults apply to their transaction or to the order itself. */
export const sendsOf = (submission: Submission): Partial<FaultRule> =>
  submission === 'calldata'
    ? { on: 'node', endpoint: 'eth_sendRawTransaction' }
    : { endpoint: 'POST /api/v1/orders/send' };

/** Node method called most for each order; a run that only watches the node sends nothing there. */
const atNode = (submission: Submission): string =>
  submission === 'watched' ? 'eth_getTransactionReceipt' : 'eth_sendRawTransaction';

const cancelsOf = (submission: Submission): Partial<FaultRule> =>
  submission === 'calldata' ? sendsOf(submission) : { endpoint: CANCEL };

export type Drawn = Readonly<{
  rules?: readonly object[];
  indexerLagMs?: number;
  clockOffsetMs?: number;
  rateLimit?: NonNullable<FaultPlan['rateLimit']>;
  blockMs?: number;
  mempoolMs?: number;
}>;

type Draw = Readonly<{
  submission: Submission;
  /** Draws a whole number from 1 to `most`. */
  upTo: (most: number) => number;
  chance: () => number;
  among: <T>(from: readonly T[]) => T;
}>;

const MESSAGES: readonly ((draw: Draw) => object)[] = [
  () => ({ kind: 'lost-request' }),
  ({ upTo }) => ({ kind: 'late-request', ms: upTo(70_000) }),
  () => ({ kind: 'lost-response' }),
  ({ upTo, among }) => ({ kind: 'duplicate', ms: upTo(200), heard: among(['first', 'second']) }),
  ({ upTo }) => ({ kind: 'delay', ms: upTo(60_000) }),
  ({ upTo }) => ({ kind: 'slow-body', ms: upTo(60_000) }),
  () => ({ kind: 'interim' }),
  ({ among, chance }) => ({ kind: 'status', status: among([500, 502, 503, 504]), processed: chance() < 0.5 }),
  ({ chance }) => ({ kind: 'html', processed: chance() < 0.5 }),
  () => ({ kind: 'redirect', location: 'https://elsewhere.example/' }),
  ({ among, chance }) => ({ kind: 'body', text: among(['', '{', '[]', 'null']), processed: chance() < 0.5 }),
  ({ upTo }) => ({ kind: 'truncate', bytes: upTo(400) }),
  ({ among }) => ({ kind: '429', retryAfter: among(['2', '-5', 'soon', '86400']) }),
  () => ({ kind: '429', processed: true }),
  () => ({ kind: 'unauthorized' }),
  ({ chance }) => ({ kind: 'echo', processed: chance() < 0.5 }),
  ({ among }) => ({ kind: 'edit', path: 'code', value: among([10_777, '200', null]) }),
];

const ANSWERS_OF_SENDS: readonly ((draw: Draw) => object)[] = [
  () => ({ kind: 'no-hash' }),
  () => ({ kind: 'other-hash' }),
  () => ({ kind: 'edit', path: 'data.txHash', value: '0x12' }),
];

const NODE: readonly ((draw: Draw) => object)[] = [
  () => ({ kind: 'lost-request' }),
  () => ({ kind: 'lost-response' }),
  ({ upTo }) => ({ kind: 'delay', ms: upTo(20_000) }),
  ({ chance }) => ({ kind: 'status', status: 503, processed: chance() < 0.5 }),
  ({ chance }) => ({ kind: 'html', processed: chance() < 0.5 }),
  () => ({ kind: 'redirect', location: 'https://elsewhere.example/' }),
  ({ chance }) => ({ kind: 'body', text: '{', processed: chance() < 0.5 }),
  ({ upTo }) => ({ kind: 'truncate', bytes: upTo(100) }),
  () => ({ kind: 'edit', path: 'result', value: '0x12' }),
  () => ({ kind: '429' }),
];

const ROWS: readonly object[] = [
  { path: 'data.rows.0.status', value: 'Levitating' },
  { path: 'data.rows.0.settlePay', value: '1e-7' },
  { path: 'data.rows.0.orderId', value: 7 },
  { path: 'data.rows.0.createdAt', remove: true },
  { path: 'data.rows.*.novel', value: 'field' },
];

/** Endpoints that show orders and balances. */
const VIEWS = [
  LIST,
  'GET /api/v1/orders/{orderId}',
  'GET /api/v1/orders/tx/{txHash}',
  'GET /api/v1/users/{userId}/balance',
  'GET /api/v1/users/{userId}/positions',
  PRICES,
];

/** Documented refusals that do not mention the chain. */
const REFUSALS = ['deadline has expired', 'timeInForce only supports DAY', 'notional is required'];

/** Stocks that every strategy trades, and that no false listing names instead. */
const TRADED = ['SPY', 'AAPL', 'NVDA', 'MSFT', 'KO'];

/** Figures of settlements that no market produces. */
const IMPOSSIBLE = [
  { receive: `1${'0'.repeat(30)}` },
  { pay: '0.001' },
  { price: '0.01' },
  { price: '99999' },
];

/** Duration of a false statement: for some time, or for ever. */
const spellOf = ({ chance, upTo }: Draw) => (chance() < 0.7 ? { forMs: upTo(20 * MINUTE) } : {});

const half = (draw: Draw) => 0.2 + 0.6 * draw.chance();
const seldom = (draw: Draw) => 0.01 + 0.08 * draw.chance();

/** Executes orders up to ten minutes after the longest deadline. A contract that checks it, as one that a wallet calls, cannot. */
const late = (draw: Draw, how: object): Drawn =>
  draw.submission === 'calldata'
    ? {}
    : {
        rules: [
          {
            kind: 'mined-late',
            ms: 2 * MINUTE + draw.upTo(10 * MINUTE),
            pastDeadline: true,
            ...how,
            ...sendsOf(draw.submission),
            probability: 0.1 + 0.3 * draw.chance(),
          },
        ],
      };

/** Kinds of episodes that are faults of the emulator, each with an example. */
const DRAWN: Partial<Record<Episode, (draw: Draw) => Drawn>> = {
  messages(draw) {
    const everywhere = { ...draw.among(MESSAGES)(draw), probability: seldom(draw) };
    if (draw.submission === 'calldata') return { rules: [everywhere] };
    const endpoint = draw.chance() < 0.7 ? 'POST /api/v1/orders/send' : CANCEL;
    const sends = draw.chance() < 0.4 ? ANSWERS_OF_SENDS : MESSAGES;
    return { rules: [{ ...draw.among(sends)(draw), endpoint, probability: half(draw) }, everywhere] };
  },
  lists: (draw) => ({
    rules: [
      {
        kind: 'list',
        how: draw.among(['shuffle', 'shift', 'repeat', 'vanish']),
        rows: draw.upTo(3),
        endpoint: LIST,
        probability: half(draw),
      },
    ],
  }),
  rows: (draw) => ({
    rules: [
      { kind: 'edit', ...draw.among(ROWS), endpoint: LIST, probability: seldom(draw) },
      {
        kind: 'edit',
        path: 'data.rows.0.price',
        value: draw.among(['0', '1e9', null]),
        endpoint: PRICES,
        probability: 0.05,
      },
    ],
  }),
  forms: (draw) => {
    const form = { kind: 'form', how: draw.among(FORMS), share: draw.among([0.1, 0.5, 1]) };
    return { rules: VIEWS.map((endpoint) => ({ ...form, endpoint, probability: half(draw) })) };
  },
  settling: (draw) => ({
    rules: [
      {
        ...draw.among<(draw: Draw) => object>([
          ({ upTo }) => ({ kind: 'settle-late', ms: upTo(15 * MINUTE) }),
          ({ chance }) => ({ kind: 'settle-partly', share: chance() }),
          ({ upTo }) => ({ kind: 'settle-in-parts', parts: 1 + upTo(4), everyMs: upTo(MINUTE) }),
          ({ upTo }) => ({ kind: 'balance-late', ms: upTo(3 * MINUTE) }),
          ({ upTo }) => ({ kind: 'status-late', ms: upTo(9 * MINUTE) }),
        ])(draw),
        ...sendsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  aftermath: (draw) => ({
    rules: [
      {
        ...draw.among<(draw: Draw) => object>([
          ({ upTo }) => ({ kind: 'settle-reversed', ms: upTo(3 * MINUTE), againMs: upTo(5 * MINUTE) }),
          ({ upTo }) => ({ kind: 'settle-reversed', ms: upTo(3 * MINUTE) }),
          ({ upTo }) => ({ kind: 'settle-restated', ms: upTo(3 * MINUTE) }),
        ])(draw),
        ...sendsOf(draw.submission),
        probability: half(draw),
        times: 2,
      },
    ],
  }),
  cancelling: (draw) => ({
    rules: [
      {
        ...(draw.chance() < 0.6
          ? { kind: 'cancel-race', filled: draw.among([0, 0.5, 1]) }
          : { kind: 'settle-late', ms: draw.upTo(9 * MINUTE) }),
        ...cancelsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  reverts: (draw) => ({
    rules: [
      {
        kind: 'revert',
        cause: draw.among(['insufficient allowance', 'paused', 'out of gas']),
        ...sendsOf(draw.submission),
        probability: 0.1 + 0.3 * draw.chance(),
      },
    ],
  }),
  node: (draw) => ({
    rules: [
      { ...draw.among(NODE)(draw), on: 'node', probability: seldom(draw) },
      { ...draw.among(NODE)(draw), on: 'node', endpoint: atNode(draw.submission), probability: half(draw) },
    ],
  }),
  blocks: (draw) => ({ blockMs: 1_000 * draw.upTo(5), mempoolMs: draw.upTo(40_000) }),
  falseEnds: (draw) => ({
    rules: [
      {
        kind: 'false-end',
        word: draw.among(['Failed', 'Rejected', 'Canceled']),
        afterMs: draw.among([0, 0, draw.upTo(2 * MINUTE)]),
        ...spellOf(draw),
        ...sendsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  falseRefusals: (draw) => ({
    rules: [
      {
        kind: 'false-refusal',
        text: draw.among(REFUSALS),
        endpoint: 'POST /api/v1/orders/send',
        probability: half(draw),
      },
    ],
  }),
  falseReceipts: (draw) => ({
    rules: [
      {
        kind: 'false-receipt',
        how: draw.among(['reverted', 'missing']),
        depth: draw.among([0, 5, 500]),
        ...spellOf(draw),
        ...sendsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  falseListings: (draw) => ({
    rules: [
      {
        kind: 'false-listing',
        symbol: draw.among(TRADED),
        endpoint: PRICES,
        ...draw.among([{ as: 'PLUG' }, { as: 'F' }, { decimals: 6 }, { onChainDecimals: 6 }]),
      },
    ],
  }),
  falseSettlements: (draw) => ({
    rules: [
      {
        kind: 'false-settlement',
        ...draw.among(IMPOSSIBLE),
        ...sendsOf(draw.submission),
        probability: half(draw),
        times: 3,
      },
    ],
  }),
  falseRows: (draw) => ({
    rules: [
      {
        kind: 'nested',
        path: 'data.rows.0.status',
        depth: draw.among([50, 6_000]),
        endpoint: LIST,
        probability: seldom(draw),
      },
    ],
  }),
  // Every page is full, and each read of the list asks for dozens: a bound keeps a seed from taking minutes.
  endlessLists: (draw) => ({
    rules: [{ kind: 'list', how: 'endless', endpoint: LIST, times: 20 + draw.upTo(130) }],
  }),
  falseAccounts: (draw) => ({
    rules: [
      {
        kind: 'false-end',
        word: draw.among(['Rejected', 'Canceled']),
        account: true,
        forMs: 5 * MINUTE + draw.upTo(10 * MINUTE),
        ...sendsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  hiddenHashes: (draw) => late(draw, { hidden: true }),
  lateExecution: (draw) => late(draw, {}),
  falsePrices: (draw) => ({
    rules: [
      {
        kind: 'false-listing',
        symbol: draw.among(TRADED),
        priceFactor: draw.among([0.05, 0.5, 2, 20]),
        endpoint: PRICES,
        times: 2,
      },
    ],
  }),
  offMarket: (draw) => ({
    rules: [
      {
        kind: 'fill-off-market',
        percent: draw.among([-18, -9, 9, 18]),
        ...sendsOf(draw.submission),
        probability: half(draw),
      },
    ],
  }),
  busyNode(draw) {
    const busy = Array.from({ length: draw.upTo(3) }, () => ({
      kind: 'busy-node',
      why: draw.among(BUSY),
      processed: draw.chance() < 0.3,
      endpoint: draw.among(READS_OF_A_SEND),
      on: 'node',
      probability: half(draw),
    }));
    const twice = {
      kind: 'duplicate',
      ms: draw.upTo(2_000),
      heard: draw.among(['first', 'second']),
      endpoint: 'eth_sendRawTransaction',
      on: 'node',
      probability: half(draw),
    };
    // Whatever else it does not answer, it takes some sends no better.
    return { rules: [...busy, twice, { ...busy[0], endpoint: 'eth_sendRawTransaction' }] };
  },
  venueClock: (draw) => ({
    clockOffsetMs: Math.round((draw.chance() - 0.5) * draw.among([20_000, 120_000])),
  }),
  rateLimit: (draw) => ({
    rateLimit: { perMinute: 60 + draw.upTo(200), burst: draw.upTo(10), retryAfter: draw.chance() < 0.5 },
  }),
};

/** Fault of the emulator in an episode; null for an episode of another kind. */
export function drawnOf(kind: Episode, submission: Submission, random: Random): Drawn | null {
  const chance = () => random.next();
  const draw: Draw = {
    submission,
    chance,
    upTo: (most) => 1 + Math.floor(chance() * most),
    among: <T>(from: readonly T[]) => from[Math.floor(chance() * from.length)] as T,
  };
  return DRAWN[kind]?.(draw) ?? null;
}

/** All faults at a time: where two set the same value, the later one wins. */
export const planFrom = (drawn: readonly Drawn[]): object => ({
  ...drawn.reduce<Drawn>((all, each) => ({ ...all, ...each }), {}),
  rules: drawn.flatMap(({ rules = [] }) => rules),
});
