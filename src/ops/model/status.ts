import { z } from 'zod';
import { TRADING_STATES } from '../../domain/operator/restriction.ts';

/*
 * Shape of the answer of `GET /v1/status` and of `drover status --json`. Times are ISO 8601 UTC, amounts decimal strings in mUSD or
 * shares, ages in ms. Fields may be added; these stay.
 */

const text = z.string();
const number = z.number();
const time = text.describe('ISO 8601, UTC');
const amount = text.describe('decimal');
const state = z.enum(TRADING_STATES);

export const pnlSchema = z.object({
  today: amount,
  total: amount,
  realised: amount,
  unrealised: amount,
  fees: amount,
});

export const positionSchema = z.object({
  symbol: text,
  shares: amount,
  averagePrice: amount.nullable(),
  price: amount.nullable(),
  value: amount.nullable(),
  unrealised: amount.nullable(),
  change24h: number
    .nullable()
    .optional()
    .describe('change of the price over 24 hours as the venue lists it, 0.01 for 1 %; null if it lists none'),
  volume24h: number
    .nullable()
    .optional()
    .describe(
      'volume over 24 hours as the venue lists it, which does not document its unit; null if it lists none',
    ),
});

const receivableSchema = amount
  .optional()
  .describe('dividends in the equity that are not paid yet; absent in runs of 0.8.0 and before');

export const strategySchema = z.object({
  id: text.describe('empty for unallocated amounts'),
  state: z
    .enum([...TRADING_STATES, 'stopped'])
    .describe('`stopped` by its error, or not in the config any more'),
  /** Null while the strategy is running. */
  stopped: text.nullable(),
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  pnl: pnlSchema,
  positions: z.array(positionSchema),
  nextTimer: z.object({ name: text, at: time }).nullable(),
  nextDecision: z
    .object({
      on: text.describe('its timer by name, a bar such as `5m bar`, or `each price`'),
      at: time.nullable().describe('null for prices, which come at any time'),
    })
    .nullable()
    .optional()
    .describe('what it waits for; null if nothing is known to come'),
  /** Null unless it still waits for warm-up bars; it makes no decisions until then. */
  warmUp: z
    .object({
      series: z.array(z.object({ symbol: text, interval: text, needed: number, had: number })),
      completeAt: time.nullable().describe('if no bar is left out'),
    })
    .nullable()
    .default(null),
  restarted: z
    .object({ at: time, why: text })
    .nullable()
    .optional()
    .describe('its latest restart from saved state, after another strategy ended their shared thread'),
  hints: z.array(text).optional().describe('likely reasons why its orders did less than intended'),
});

export const openOrderSchema = z.object({
  id: text,
  strategy: text,
  symbol: text,
  side: z.enum(['buy', 'sell']),
  type: z.enum(['market', 'limit']),
  status: text,
  ageMs: number,
  reason: text,
  tag: text.nullable(),
  text: text.describe('the order in words'),
});

/** An order that has ended. `filled`: shares. */
export const endedOrderSchema = openOrderSchema.omit({ ageMs: true }).extend({
  endedAt: text,
  filled: text,
  /** Reason for an end without a fill, if known. */
  why: text.nullable(),
});

/** A settled order. `pay`, `receive`: mUSD or shares, fees included; `realised`: realised profit, in mUSD. */
export const fillSchema = z.object({
  id: text,
  strategy: text,
  symbol: text,
  side: z.enum(['buy', 'sell']),
  shares: text,
  price: text,
  pay: text,
  receive: text,
  fees: text,
  realised: text.nullable(),
  tag: text.nullable(),
  at: text,
  txHash: text.nullable(),
});

export const waitingSchema = z.object({
  id: text,
  strategy: text,
  symbol: text,
  notBefore: time,
  text: text.describe('the intent in words'),
});

/** States of an order held by the runner. `suspended`: nothing can be sent for it at the moment. */
const HELD_STATES = [
  'waiting',
  'armed',
  'triggered',
  'cancelling',
  'working',
  'suspended',
  'ending',
] as const;

export const heldOrderSchema = z.object({
  id: text,
  strategy: text,
  symbol: text,
  kind: text.describe('stop, stopBuy, trail, oco, bracket or work'),
  text: text.describe('the order in words'),
  state: z.enum(HELD_STATES),
  stateText: text.describe('the state in words'),
  suspended: text.nullable().describe('why nothing can be sent for it now; null when it can'),
  protects: z.boolean().describe('true when it guards shares that its strategy holds'),
  placedAt: time,
  notBefore: time.nullable().describe('null once that is past'),
  stop: amount.nullable().describe('price in force'),
  stopDistancePercent: number.nullable().describe('from the price to the stop, in percent of the price'),
  price: amount.nullable().describe('latest price'),
  takeProfit: amount.nullable().describe('price in force'),
  secondTakeProfit: amount.nullable().default(null).describe('price in force, of a bracket with two'),
  mark: amount.nullable().describe('highest price that a trailing stop has seen'),
  filled: amount.describe('shares; of a bracket that has bought, those it has sold again'),
  asked: amount.nullable().describe('shares it is to move; null if it takes all, or an amount of money'),
  filledNotional: amount.describe('mUSD of that, without fees'),
  askedNotional: amount.nullable().describe('mUSD it is to move; null if it names shares'),
  until: time.nullable().describe('end of the span over which it works'),
  expires: time.nullable(),
  exitAt: time.nullable().describe('time at which the position is sold'),
  triggered: z
    .object({ at: time, cause: text, price: amount.nullable() })
    .nullable()
    .describe('null while it is armed'),
  reason: text,
  tag: text.nullable(),
  children: z
    .array(
      z.object({
        id: text,
        leg: text,
        filled: amount,
        txHash: text.nullable().default(null),
        venueId: text.nullable().default(null),
      }),
    )
    .describe('orders of it that have not ended'),
});

export const unallocatedSchema = z.object({
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  /** Change not caused by a strategy, without transfers. */
  pnl: pnlSchema.extend({
    today: amount
      .nullable()
      .describe('null: the unallocated value at the start of the day is unknown, so totals have no `today`'),
  }),
  positions: z.array(positionSchema),
});

export const limitSchema = z.object({
  name: text,
  scope: text.describe('everything, a symbol, or a strategy'),
  used: amount.nullable().describe('null if an order alone decides'),
  limit: amount,
});

export const restrictionSchema = z.object({
  state: z.enum(['reducing', 'halted']),
  cause: text,
  strategy: text.nullable(),
  symbol: text.nullable(),
  since: time,
  by: text,
  reason: text,
  isFlattening: z
    .boolean()
    .optional()
    .describe('true while a flatten sells under it: lifting it ends that, and what is left stays held'),
});

export const alarmSchema = z.object({
  id: text,
  at: time,
  text,
  count: number.describe('how often it was raised'),
  acknowledged: z.boolean(),
  code: text.default('UNCLASSIFIED').describe('SCREAMING_SNAKE, the same in every version'),
  severity: z
    .enum(['info', 'warning', 'critical'])
    .default('warning')
    .describe('one step higher if unacknowledged for an hour'),
  subject: z
    .object({
      account: text.nullable(),
      strategy: text.nullable(),
      symbol: text.nullable(),
    })
    .default({ account: null, strategy: null, symbol: null }),
  command: text.nullable().default(null).describe('command that helps'),
  ends: text.nullable().default(null).describe('id of the alarm that this all-clear ends; null for an alarm'),
});

export const noticeSchema = z.object({
  at: text,
  kind: text,
  /** Null for a notice about the run. */
  strategy: text.nullable(),
  text,
  /** Code of an alarm; null for any other notice. */
  code: text.nullable(),
  /** Id of the alarm that an all-clear ends, otherwise null. */
  ends: text.nullable(),
});

const todoSchema = z.object({
  text,
  command: text.nullable().describe('command that helps'),
  action: z
    .object({ verb: text, body: z.record(text, z.unknown()) })
    .nullable()
    .default(null)
    .describe('the same for a program: `POST /v1/<verb>` with this body, an id and a reason'),
});

/** Ability of a run. `ok`: held for 60 s in either direction; `why`: reasons while it is false. */
const abilityOf = <T extends z.ZodType>(why: T) => z.object({ ok: z.boolean(), why: z.array(why) });

export const canSendSchema = abilityOf(text).describe('whether an order could be sent now');

/** Held exits that could not be sent at the moment. */
export const canProtectSchema = abilityOf(z.object({ strategy: text, symbol: text, why: text })).describe(
  'whether each stop and exit that the bot holds could be sold when it is touched',
);

const UNSTATED = { ok: true, why: [] };

export const statusSchema = z.object({
  running: z.boolean(),
  /** How and when the last run ended; null while one is active, and if it recorded no end. */
  lastEnd: z.object({ at: time, text }).nullable(),
  mode: text,
  /** Account as named in the state folder. */
  account: text,
  version: text,
  startedAt: time,
  killFiles: z.array(text).default([]).describe('files that stop the run while they exist'),
  now: time,
  state: z.object({ trading: state, since: time, by: text, reason: text }),
  restrictions: z.array(restrictionSchema),
  session: z.object({
    phase: text,
    date: text.nullable(),
    open: time.nullable(),
    close: time.nullable(),
    nextOpen: time.optional().describe('first open after now'),
    until: time.optional().describe('end of the phase'),
    trades: z
      .array(text)
      .optional()
      .describe(
        'stocks that may be traded outside the session now; absent during it, and if only the session is traded',
      ),
  }),
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  pnl: pnlSchema,
  strategies: z.array(strategySchema),
  /** Money and stock outside all strategies, included in the totals. */
  unallocated: unallocatedSchema,
  orders: z.array(openOrderSchema),
  /** Intents that are not orders yet. */
  waiting: z.array(waitingSchema),
  /** Orders held by the bot instead of the venue: they only work while a run is active. */
  heldOrders: z.array(heldOrderSchema).default([]),
  unknown: number.describe('orders and transfers that the venue may or may not have'),
  frozen: z.array(z.object({ symbol: text, why: text })),
  differences: z.array(z.object({ asset: text, text })),
  dust: z
    .array(
      z.object({
        asset: text,
        amount: amount.describe('venue minus ledger'),
        moved: amount.describe('sum of its changes today, in both directions'),
        looks: number.describe('number of reads today at which it had changed'),
        bound: amount.describe('limit for either, above which it is a difference'),
      }),
    )
    .optional()
    .describe('differences that are too small to stop anything'),
  /** Things that are unknown, frozen or different, with remedies. */
  todo: z.array(todoSchema),
  alarms: z.array(alarmSchema),
  premiums: z
    .array(
      z.object({
        symbol: text,
        share: amount.describe('mUSD a share, beside the price of the token'),
        token: amount.nullable().describe('mUSD a token; null if the venue shows none'),
        ratio: amount.nullable().describe('shares that one token stands for; null if it is not known'),
        bps: number.nullable().describe('premium in hundredths of a percent, null if it is not known'),
        text,
      }),
    )
    .optional()
    .describe('premium of tokens over the shares they stand for; absent if token prices are not read'),
  limits: z.array(limitSchema),
  /** Present if the journal's run has an unknown config: limits are missing, and strategies are those of the journal. */
  configUnknown: z.literal(true).optional(),
  freshness: z.object({
    quotesMs: number.nullable(),
    ordersMs: number.nullable(),
    accountMs: number.nullable(),
  }),
  canSend: canSendSchema.default(UNSTATED),
  canProtect: canProtectSchema.default(UNSTATED),
  ready: z.boolean(),
});

export type Ability<T> = { ok: boolean; why: T[] };
export type Protection = z.infer<typeof canProtectSchema>['why'][number];
export type Status = z.infer<typeof statusSchema>;
export type PnlView = z.infer<typeof pnlSchema>;
export type PositionView = z.infer<typeof positionSchema>;
export type StrategyView = z.infer<typeof strategySchema>;
export type UnallocatedView = z.infer<typeof unallocatedSchema>;
export type OpenOrderView = z.infer<typeof openOrderSchema>;
export type EndedOrderView = Readonly<z.infer<typeof endedOrderSchema>>;
export type FillView = Readonly<z.infer<typeof fillSchema>>;
export type NoticeView = Readonly<z.infer<typeof noticeSchema>>;
export type WaitingIntentView = z.infer<typeof waitingSchema>;
export type HeldOrderView = z.infer<typeof heldOrderSchema>;
export type RestrictionView = z.infer<typeof restrictionSchema>;
export type AlarmView = z.infer<typeof alarmSchema>;
export type LimitView = z.infer<typeof limitSchema>;
export type Todo = Status['todo'][number];
