import { z } from 'zod';
import { TRADING_STATES } from '../../domain/operator/restriction.ts';

/*
 * Shape of the answer of `GET /v1/status` and of `drover status --json`. Times are ISO 8601 UTC, amounts decimal strings in mUSD or
 * shares, ages in ms. Fields may be added; these stay.
 */

const time = z.string().describe('ISO 8601, UTC');
const amount = z.string().describe('decimal');
const state = z.enum(TRADING_STATES);

export const pnlSchema = z.object({
  today: amount,
  total: amount,
  realised: amount,
  unrealised: amount,
  fees: amount,
});

export const positionSchema = z.object({
  symbol: z.string(),
  shares: amount,
  averagePrice: amount.nullable(),
  price: amount.nullable(),
  value: amount.nullable(),
  unrealised: amount.nullable(),
  change24h: z
    .number()
    .nullable()
    .optional()
    .describe(
      'change of the price over 24 hours as the venue lists it, 0.01 for 1 %; null where it lists none',
    ),
  volume24h: z
    .number()
    .nullable()
    .optional()
    .describe(
      'volume over 24 hours as the venue lists it, which does not document its unit; null where it lists none',
    ),
});

const receivableSchema = amount
  .optional()
  .describe('dividends in the equity that are not paid yet; absent in runs of 0.8.0 and before');

export const strategySchema = z.object({
  id: z.string().describe('empty for what belongs to no strategy'),
  state: z
    .enum([...TRADING_STATES, 'stopped'])
    .describe('`stopped` by its error, or not in the config any more'),
  /** Null while the strategy runs. */
  stopped: z.string().nullable(),
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  pnl: pnlSchema,
  positions: z.array(positionSchema),
  nextTimer: z.object({ name: z.string(), at: time }).nullable(),
  nextDecision: z
    .object({
      on: z.string().describe('its timer by name, a bar such as `5m bar`, or `each price`'),
      at: time.nullable().describe('null for prices, which come at any time'),
    })
    .nullable()
    .optional()
    .describe('what it waits for; null where nothing is known to come'),
  /** Null unless it waits for the bars of its warm-up, and decides nothing until then. */
  warmUp: z
    .object({
      series: z.array(
        z.object({ symbol: z.string(), interval: z.string(), needed: z.number(), had: z.number() }),
      ),
      completeAt: time.nullable().describe('if no bar is left out'),
    })
    .nullable(),
  restarted: z
    .object({ at: time, why: z.string() })
    .nullable()
    .optional()
    .describe('its latest start on what it kept, after another strategy ended the thread that both shared'),
  hints: z
    .array(z.string())
    .optional()
    .describe('likely reasons why its orders came to less than they meant'),
});

export const openOrderSchema = z.object({
  id: z.string(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  type: z.enum(['market', 'limit']),
  status: z.string(),
  ageMs: z.number(),
  reason: z.string(),
  tag: z.string().nullable(),
  text: z.string().describe('the order in words'),
});

/** An order that has ended. `filled`: shares. */
export const endedOrderSchema = openOrderSchema.omit({ ageMs: true }).extend({
  endedAt: z.string(),
  filled: z.string(),
  /** Reason of an end without a fill, where there is one. */
  why: z.string().nullable(),
});

/** A settled order. `pay`, `receive`: mUSD or shares, fees included; `realised`: profit that it closed, in mUSD. */
export const fillSchema = z.object({
  id: z.string(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  shares: z.string(),
  price: z.string(),
  pay: z.string(),
  receive: z.string(),
  fees: z.string(),
  realised: z.string().nullable(),
  tag: z.string().nullable(),
  at: z.string(),
  txHash: z.string().nullable(),
});

export const waitingSchema = z.object({
  id: z.string(),
  strategy: z.string(),
  symbol: z.string(),
  notBefore: time,
  text: z.string().describe('the intent in words'),
});

/** States of an order that the runner holds. `suspended`: nothing can be sent for it now. */
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
  id: z.string(),
  strategy: z.string(),
  symbol: z.string(),
  kind: z.string().describe('stop, stopBuy, trail, oco, bracket or work'),
  text: z.string().describe('the order in words'),
  state: z.enum(HELD_STATES),
  stateText: z.string().describe('the state in words'),
  suspended: z.string().nullable().describe('why nothing can be sent for it now; null when it can'),
  protects: z.boolean().describe('true when it guards shares that its strategy holds'),
  placedAt: time,
  notBefore: time.nullable().describe('null once that is past'),
  stop: amount.nullable().describe('price in force'),
  stopDistancePercent: z.number().nullable().describe('from the price to the stop, in percent of the price'),
  price: amount.nullable().describe('latest price'),
  takeProfit: amount.nullable().describe('price in force'),
  secondTakeProfit: amount.nullable().default(null).describe('price in force, of a bracket with two'),
  mark: amount.nullable().describe('highest price that a trailing stop has seen'),
  filled: amount.describe('shares; of a bracket that has bought, those it has sold again'),
  asked: amount.nullable().describe('shares it is to move; null where it takes all, or an amount of money'),
  filledNotional: amount.describe('mUSD of that, without fees'),
  askedNotional: amount.nullable().describe('mUSD it is to move; null where it names shares'),
  until: time.nullable().describe('end of the span over which it works'),
  expires: time.nullable(),
  exitAt: time.nullable().describe('time at which the position is sold'),
  triggered: z
    .object({ at: time, cause: z.string(), price: amount.nullable() })
    .nullable()
    .describe('null while it is armed'),
  reason: z.string(),
  tag: z.string().nullable(),
  children: z
    .array(z.object({ id: z.string(), leg: z.string(), filled: amount }))
    .describe('orders of it that have not ended'),
});

export const unallocatedSchema = z.object({
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  /** Change that no strategy made, without transfers. */
  pnl: pnlSchema.extend({
    today: amount
      .nullable()
      .describe('null: what was unallocated as the day began is not known; no total has it in `today`'),
  }),
  positions: z.array(positionSchema),
});

export const limitSchema = z.object({
  name: z.string(),
  scope: z.string().describe('everything, a symbol, or a strategy'),
  used: amount.nullable().describe('null where an order alone decides'),
  limit: amount,
});

export const restrictionSchema = z.object({
  state: z.enum(['reducing', 'halted']),
  cause: z.string(),
  strategy: z.string().nullable(),
  symbol: z.string().nullable(),
  since: time,
  by: z.string(),
  reason: z.string(),
  isFlattening: z
    .boolean()
    .optional()
    .describe('true while a flatten sells under it: lifting it ends that, and what is left stays held'),
});

export const alarmSchema = z.object({
  id: z.string(),
  at: time,
  text: z.string(),
  count: z.number().describe('how often it was raised'),
  acknowledged: z.boolean(),
  code: z.string().default('UNCLASSIFIED').describe('SCREAMING_SNAKE, the same in every version'),
  severity: z
    .enum(['info', 'warning', 'critical'])
    .default('warning')
    .describe('one step higher once nobody has acknowledged it for an hour'),
  subject: z
    .object({
      account: z.string().nullable(),
      strategy: z.string().nullable(),
      symbol: z.string().nullable(),
    })
    .default({ account: null, strategy: null, symbol: null }),
  command: z.string().nullable().default(null).describe('command line that helps'),
  ends: z
    .string()
    .nullable()
    .default(null)
    .describe('id of the alarm that it is the all-clear of; null for an alarm'),
});

export const noticeSchema = z.object({
  at: z.string(),
  kind: z.string(),
  /** Null for one about the run. */
  strategy: z.string().nullable(),
  text: z.string(),
  /** Code of an alarm; null for any other notice. */
  code: z.string().nullable(),
  /** Id of the alarm that an all-clear ends, or null. */
  ends: z.string().nullable(),
});

const todoSchema = z.object({
  text: z.string(),
  command: z.string().nullable().describe('command line that helps'),
  action: z
    .object({ verb: z.string(), body: z.record(z.string(), z.unknown()) })
    .nullable()
    .default(null)
    .describe('the same for a program: `POST /v1/<verb>` with this body, an id and a reason'),
});

/** Ability of a run. `ok`: held for 60 s in either direction; `why`: reasons while it is not. */
const abilityOf = <T extends z.ZodType>(why: T) => z.object({ ok: z.boolean(), why: z.array(why) });

export const canSendSchema = abilityOf(z.string()).describe('whether an order could be sent now');

/** Held exits that could not be sent. */
export const canProtectSchema = abilityOf(
  z.object({ strategy: z.string(), symbol: z.string(), why: z.string() }),
).describe('whether each stop and exit that the bot holds could be sold when it is touched');

const UNSTATED = { ok: true, why: [] };

export const statusSchema = z.object({
  running: z.boolean(),
  /** How and when the last run ended; null while one is on, and after one that wrote no end. */
  lastEnd: z.object({ at: time, text: z.string() }).nullable(),
  mode: z.string(),
  /** Account as the state folder names it. */
  account: z.string(),
  version: z.string(),
  startedAt: time,
  killFiles: z.array(z.string()).default([]).describe('files that stop the run while they exist'),
  now: time,
  state: z.object({ trading: state, since: time, by: z.string(), reason: z.string() }),
  restrictions: z.array(restrictionSchema),
  session: z.object({
    phase: z.string(),
    date: z.string().nullable(),
    open: time.nullable(),
    close: time.nullable(),
    nextOpen: time.optional().describe('first open after now'),
    until: time.optional().describe('end of the phase'),
    trades: z
      .array(z.string())
      .optional()
      .describe(
        'stocks of which orders may be sent outside the session now; absent in it, and where only it is traded',
      ),
  }),
  equity: amount,
  cash: amount,
  receivable: receivableSchema,
  pnl: pnlSchema,
  strategies: z.array(strategySchema),
  /** Money and stock of no strategy: totals add up with them. */
  unallocated: unallocatedSchema,
  orders: z.array(openOrderSchema),
  /** Intents without an order yet. */
  waiting: z.array(waitingSchema),
  /** Orders that the bot holds, not the venue: they work only while a run is on. */
  heldOrders: z.array(heldOrderSchema).default([]),
  unknown: z.number().describe('orders and transfers that the venue may or may not have'),
  frozen: z.array(z.object({ symbol: z.string(), why: z.string() })),
  differences: z.array(z.object({ asset: z.string(), text: z.string() })),
  dust: z
    .array(
      z.object({
        asset: z.string(),
        amount: amount.describe('what the venue shows beyond the ledger'),
        moved: amount.describe('changes of it today, back and forth added up'),
        looks: z.number().describe('looks of today at which it had changed'),
        bound: amount.describe('most that either may be before it is a difference'),
      }),
    )
    .optional()
    .describe('differences that are too small to stop anything'),
  /** Things that are unknown, frozen or differ, and what to do about them. */
  todo: z.array(todoSchema),
  alarms: z.array(alarmSchema),
  premiums: z
    .array(
      z.object({
        symbol: z.string(),
        share: amount.describe('mUSD a share, beside the price of the token'),
        token: amount.nullable().describe('mUSD a token; null where the venue shows none'),
        ratio: amount.nullable().describe('shares that one token stands for; null where it is not known'),
        bps: z.number().nullable().describe('premium in hundredths of a percent, null where it is not known'),
        text: z.string(),
      }),
    )
    .optional()
    .describe('tokens over the shares that they stand for; absent where their prices are not read'),
  limits: z.array(limitSchema),
  /** Present in a status from the journal of a run whose config is not known: limits are missing, strategies are those of the journal. */
  configUnknown: z.literal(true).optional(),
  freshness: z.object({
    quotesMs: z.number().nullable(),
    ordersMs: z.number().nullable(),
    accountMs: z.number().nullable(),
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
