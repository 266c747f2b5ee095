import { z } from 'zod';
import { DRAWDOWN_ACTIONS, LIMIT_POLICIES, ON_KILL } from '../../domain/limits.ts';
import { cashAmount, filePath } from './fields.ts';

const symbolLimits = z.strictObject({
  orderNotional: cashAmount().optional().describe('Maximum value of one order of this stock, in mUSD.'),
  positionNotional: cashAmount().optional().describe('Maximum value of the position in this stock, in mUSD.'),
});

const groupLimit = z.strictObject({
  symbols: z.array(z.string()).min(1).max(200).describe('Stocks of the group, such as [AAPL, MSFT].'),
  positionNotional: cashAmount().describe('Maximum value of their positions together, in mUSD.'),
});

const drawdown = z.strictObject({
  percent: z.number().min(0.1).max(99).optional().describe('Largest fall in percent of the peak: 5 is 5 %.'),
  amount: cashAmount().optional().describe('Largest fall in mUSD, instead of percent.'),
  action: z
    .enum(DRAWDOWN_ACTIONS)
    .describe('`reduce`: open buys are cancelled, and only sells are sent. `flatten`: everything is sold.'),
});

const minutes = () => z.int().min(1).max(10_080);

const lossStreak = z.strictObject({
  trades: z.int().min(1).max(50).describe('Number of losing exits in a row that starts the pause.'),
  pause: z
    .union([z.literal('session'), z.strictObject({ minutes: minutes() })])
    .describe('`session`: until its close; or { minutes: 60 } from the last of these exits.'),
});

const bps = () => z.int().min(1).max(5_000);

const orderNotional = cashAmount().optional().describe('Maximum value of one order, in mUSD.');
const priceLimits = {
  priceBandBps: bps()
    .optional()
    .describe('How far a buy may be above the quote, or a sell below it, in hundredths of a percent.'),
  premiumBps: bps()
    .optional()
    .describe(
      'Largest premium of the token over its shares at which it is bought, and largest discount at which it is sold, in hundredths of a percent. ' +
        'Exits are always allowed. Applies only if the number of shares per token is known: from venue.tokenRatio, stocks.X.tokenRatio, the venue or (with a node) the token.',
    ),
  quoteAgeMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .optional()
    .describe('Maximum age of the quote that an order is based on, in ms.'),
};

const outside = z.strictObject({
  collarBps: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe(
      'How far from the quote a limit order in place of a market order may be, in hundredths of a percent. Default: orders.collarBps.',
    ),
  orderNotional,
  positionNotional: cashAmount().optional().describe('Maximum value of the position in one symbol, in mUSD.'),
  grossExposure: cashAmount()
    .optional()
    .describe('Maximum value of all positions and open buys together, in mUSD.'),
  ...priceLimits,
});

export const strategyLimits = z.strictObject({
  orderNotional,
  positionNotional: cashAmount()
    .optional()
    .describe(
      'Maximum value of the position in one symbol, in mUSD. What the account held before does not count.',
    ),
  grossExposure: cashAmount()
    .optional()
    .describe(
      'Maximum value of all positions and open buys together, in mUSD. What the account held before does not count.',
    ),
  ordersPerMinute: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Maximum number of orders sent in any 60 seconds.'),
  dayLoss: cashAmount()
    .optional()
    .describe('Loss since the session opened, in mUSD, that stops further buying.'),
  ...priceLimits,
  limitPolicy: z
    .enum(LIMIT_POLICIES)
    .optional()
    .describe(
      "What to do with an order over a size limit: drop it, or reduce it to what is allowed. A strategy's setting overrides the account's. Default: drop.",
    ),
  symbols: z
    .record(z.string(), symbolLimits)
    .optional()
    .describe('Narrower limits by stock, such as { TSLA: { positionNotional: 500 } }.'),
  groups: z
    .record(z.string(), groupLimit)
    .optional()
    .describe(
      'Limits on several stocks together, such as { chips: { symbols: [NVDA, AMD], positionNotional: 2000 } }.',
    ),
  turnoverPerDay: cashAmount()
    .optional()
    .describe(
      'Maximum value of the orders of one session, buys and sells, in mUSD; beyond it no buy is sent. Fills count, and so does the whole of an order that is open or whose end only the venue has stated.',
    ),
  doubt: cashAmount()
    .optional()
    .describe(
      'Cancelled or expired buys may still have filled without being shown yet. Up to this amount of one stock within 15 minutes, in mUSD, they do not count against positionNotional and grossExposure; beyond it they do, and the next buy waits. Default: positionNotional.',
    ),
  lossStreak: lossStreak
    .optional()
    .describe('Pauses buys after several losing exits in a row, such as { trades: 3, pause: session }.'),
  cooldown: z
    .strictObject({ minutes: minutes().describe('Minutes after the exit.') })
    .optional()
    .describe('Pauses buys of a stock after a losing exit from it, such as { minutes: 30 }.'),
  outside: outside
    .optional()
    .describe(
      'Limits outside the regular session, in place of those above. `live` needs the sizes where `trade` names other phases.',
    ),
  drawdown: drawdown
    .optional()
    .describe(
      'Largest fall of equity from its peak, such as { percent: 10, action: reduce }. Deposits and withdrawals are neither profit nor loss. Lifted by `drover resume`.',
    ),
});

export const limits = strategyLimits.extend({
  fillBandBps: z
    .int()
    .min(1)
    .max(5_000)
    .optional()
    .describe(
      'How far a fill may be from every quote seen while its order was live, in hundredths of a percent. A fill beyond it is booked, raises an alarm and freezes its stock: a buy freezes further buys, a sell freezes everything. Default: priceBandBps, or 500 without it, plus orders.collarBps.',
    ),
  debt: cashAmount()
    .optional()
    .describe(
      'Maximum value of the shares owed for deferred sells, in mUSD. Without it strategies cannot use deferred sells.',
    ),
  jumpPercent: z
    .number()
    .min(1)
    .max(90)
    .optional()
    .describe(
      "Largest move in percent from the last accepted price that is believed at once. A larger one must be confirmed by the venue's token price, its 1m bar, or about the same price for 30 s. Until then there is an alarm, nothing acts on the price, and no order on the stock is sent. Default: 15.",
    ),
  stateAgeMs: z
    .int()
    .min(10_000)
    .max(36_000_000)
    .optional()
    .describe(
      'Maximum age of the latest read of orders and account when an order is sent, in ms. Default: 3 times the longest polling period, at least 180000.',
    ),
  feeBps: z
    .int()
    .min(1)
    .max(200)
    .default(25)
    .describe(
      'Highest fee of an order, in hundredths of a percent of its notional. When the venue states or charges more, trading halts until `drover resume`.',
    ),
  killFile: filePath()
    .optional()
    .describe(
      'While this file exists no order is placed; cancels still leave. KILL in the state folder does the same, with or without this. Trading stays halted until `drover resume`.',
    ),
  onKill: z
    .enum(ON_KILL)
    .default('leave')
    .describe(
      'What happens to open orders and positions when a kill file appears: leave them, cancel the orders, or flatten, which cancels the orders and sells what strategies hold.',
    ),
});
