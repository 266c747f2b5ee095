import { z } from 'zod';
import { DRAWDOWN_ACTIONS, LIMIT_POLICIES, ON_KILL } from '../../domain/limits.ts';
import { cashAmount, filePath } from './fields.ts';

const symbolLimits = z.strictObject({
  orderNotional: cashAmount().optional().describe('Most that one order of this stock may be worth, in mUSD.'),
  positionNotional: cashAmount()
    .optional()
    .describe('Most that the position in this stock may be worth, in mUSD.'),
});

const groupLimit = z.strictObject({
  symbols: z.array(z.string()).min(1).max(200).describe('Stocks of the group, such as [AAPL, MSFT].'),
  positionNotional: cashAmount().describe('Most that their positions together may be worth, in mUSD.'),
});

const drawdown = z.strictObject({
  percent: z.number().min(0.1).max(99).optional().describe('Largest fall in percent of the peak: 5 is 5 %.'),
  amount: cashAmount().optional().describe('Largest fall in mUSD, instead of percent.'),
  action: z
    .enum(DRAWDOWN_ACTIONS)
    .describe('`reduce`: open buys are cancelled, and only sells leave. `flatten`: everything is sold.'),
});

const minutes = () => z.int().min(1).max(10_080);

const lossStreak = z.strictObject({
  trades: z.int().min(1).max(50).describe('Losing exits in a row that bring the pause.'),
  pause: z
    .union([z.literal('session'), z.strictObject({ minutes: minutes() })])
    .describe('`session`, until its close, or { minutes: 60 } from the last of them.'),
});

const bps = () => z.int().min(1).max(5_000);

const orderNotional = cashAmount().optional().describe('Most that one order may be worth, in mUSD.');
const priceLimits = {
  priceBandBps: bps()
    .optional()
    .describe('Furthest that a buy may be above the quote, or a sell below it, in hundredths of a percent.'),
  premiumBps: bps()
    .optional()
    .describe(
      'Largest premium of the token over its shares at which it is bought, and largest discount at which it is sold, in hundredths of a percent. ' +
        'Exits pass. Binds only where venue.tokenRatio, stocks.X.tokenRatio, the venue or, where a node is configured, the token says how many shares a token stands for.',
    ),
  quoteAgeMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .optional()
    .describe('Greatest age of the quote that an order is based on, in ms.'),
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
  positionNotional: cashAmount()
    .optional()
    .describe('Most that the position in one symbol may be worth, in mUSD.'),
  grossExposure: cashAmount()
    .optional()
    .describe('Most that all positions and open buys may be worth, in mUSD.'),
  ...priceLimits,
});

export const strategyLimits = z.strictObject({
  orderNotional,
  positionNotional: cashAmount()
    .optional()
    .describe(
      'Most that the position in one symbol may be worth, in mUSD. What the account held before does not count.',
    ),
  grossExposure: cashAmount()
    .optional()
    .describe(
      'Most that all positions and open buys may be worth, in mUSD. What the account held before does not count.',
    ),
  ordersPerMinute: z.int().min(1).max(1_000).optional().describe('Most orders sent in any 60 seconds.'),
  dayLoss: cashAmount()
    .optional()
    .describe('Loss since the session opened, in mUSD, that stops further buying.'),
  ...priceLimits,
  limitPolicy: z
    .enum(LIMIT_POLICIES)
    .optional()
    .describe(
      "What becomes of an order over a limit on sizes: drop it, or reduce it to what is allowed. A strategy's goes before the account's. Default: drop.",
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
      'Value of the orders of one session, buys and sells, from which on no buy is sent, in mUSD. What they fill counts, and whole what is open, or has ended by the word of the venue alone.',
    ),
  doubt: cashAmount()
    .optional()
    .describe(
      'Amount of one stock, in mUSD, that buys which were cancelled, or have expired at the close, may have taken in secret within 15 minutes without counting against positionNotional and grossExposure. What is beyond counts, and the next buy waits. Default: positionNotional.',
    ),
  lossStreak: lossStreak
    .optional()
    .describe('Pause of buys after losing exits in a row, such as { trades: 3, pause: session }.'),
  cooldown: z
    .strictObject({ minutes: minutes().describe('Minutes from the exit on.') })
    .optional()
    .describe('Pause of buys of a stock after an exit of it at a loss, such as { minutes: 30 }.'),
  outside: outside
    .optional()
    .describe(
      'Limits outside the regular session, in place of those above. `live` needs the sizes where `trade` names other phases.',
    ),
  drawdown: drawdown
    .optional()
    .describe(
      'Largest fall of equity from its peak, such as { percent: 10, action: reduce }. Money that comes or goes is neither profit nor loss. Lifted by `drover resume`.',
    ),
});

export const limits = strategyLimits.extend({
  fillBandBps: z
    .int()
    .min(1)
    .max(5_000)
    .optional()
    .describe(
      'Furthest that a fill may be from every quote seen while its order lived, in hundredths of a percent. One beyond it is booked, raises an alarm, and freezes its stock: a buy against buying, a sell against everything. Default: priceBandBps, or 500 without it, plus orders.collarBps.',
    ),
  debt: cashAmount()
    .optional()
    .describe(
      'Most that the shares may be worth that deferred sells owe, in mUSD. Without it strategies sell nothing deferred.',
    ),
  jumpPercent: z
    .number()
    .min(1)
    .max(90)
    .optional()
    .describe(
      'Largest move in percent from the last accepted price that is believed at once. A larger one needs a second witness: the token price of the venue, its 1m bar, or 30 s of about the same price. Until then there is an alarm, nothing acts on it, and no order of the stock leaves. Default: 15.',
    ),
  stateAgeMs: z
    .int()
    .min(10_000)
    .max(36_000_000)
    .optional()
    .describe(
      'Greatest age of the last look at orders and account at a send, in ms. Default: 3 times the slowest of polling, at least 180000.',
    ),
  feeBps: z
    .int()
    .min(1)
    .max(200)
    .default(25)
    .describe(
      'Highest fee of an order, in hundredths of a percent of its notional. When the venue states or takes more, trading halts until `drover resume`.',
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
      'What a kill file that appears does with open orders and positions: leave them, cancel the orders, or flatten, which cancels and sells what strategies hold.',
    ),
});
