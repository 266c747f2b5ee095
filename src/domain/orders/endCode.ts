import type { Asset } from '../account/ledger.ts';

/**
 * Codes of the reasons why an order or its intent has ended, waits or was reduced, each with its meaning. Stable:
 * programs and strategies compare them, while the text next to them may change. docs/hooks.md lists them.
 */
export const END_CODES = {
  ORDER_NOTIONAL: 'over the limit of one order',
  POSITION_NOTIONAL: 'over the limit of one position',
  GROSS_EXPOSURE: 'over the limit of all positions together',
  GROUP_NOTIONAL: 'over the limit of a group of stocks',
  TURNOVER: 'over the limit of daily turnover',
  DOUBT: 'waits: too much of the cancelled orders is still in doubt',
  DEBT: 'over the limit of what deferred sells may owe, or there is none',
  LOSS_STREAK: 'a pause after losing exits in a row',
  COOLDOWN: 'a pause after a losing exit of the stock',
  ORDERS_PER_MINUTE: 'over the limit of orders a minute',
  DAY_LOSS: "the day's loss limit is reached",
  PRICE_BAND: 'its price is too far from the market',
  PREMIUM: 'the premium of the token is over the limit, or not known',
  QUOTE_AGE: 'the latest price is too old, or there is none',
  FEE: 'over the limit of fees',
  GAS: 'its gas would cost more than the config allows',
  FAILURES: 'a similar order has just failed: there is a pause',
  NO_MONEY: 'too little free cash',
  NO_SHARES: 'too few free shares',
  TOO_SMALL: 'less than the venue takes',
  WHOLE_SHARES: 'the stock trades in whole shares only',
  ON_TARGET: 'the target is already reached',
  WRONG_SIDE: 'its price is on the wrong side of the market, or of its other price',
  OUT_OF_RANGE: 'a number, a price or a time in it is not allowed for such an order',
  NOT_OPEN: 'the order to change is not open, or has nothing of that kind to change',
  NOT_ALLOWED: 'the config does not allow the strategy such an order',
  REST_UNSAID: 'a rebalance omits stocks, and nobody says whether to sell them',
  HALTED: 'trading is halted, by a person or a limit',
  REDUCING: 'trading may only make positions smaller',
  FROZEN: 'the symbol is frozen',
  ON_HOLD: 'something has to be read or confirmed first',
  STRATEGY_STOPPED: 'its strategy has stopped, or no longer runs',
  NOT_TRADABLE: 'the stock is not tradable at the venue',
  SESSION_CLOSED: 'the session is closed, or about to close',
  NO_PRICE: 'the stock had no price in its session',
  WRITTEN_OFF: 'the stock was written off',
  FILLED: 'done',
  CANCELLED: 'cancelled, or cancelled by the venue',
  EXPIRED: 'its time had passed',
  REPLACED: 'a newer decision has taken its place',
  RESTARTED: 'it had not been sent when the run was restarted',
  RUN_ENDED: 'the run ends',
  TOO_OLD: 'it was decided too long ago to be sent',
  NO_DEADLINE: 'no deadline was left in which it could be mined',
  ONE_CLICK_OFF: 'One Click is off: the venue sends nothing for this wallet',
  NOT_SENT: 'the run could not send it; nothing has left',
  VENUE_REFUSED: 'the venue has refused or rejected it',
  REVERTED: 'its transaction has reverted on the chain',
  NEVER_PLACED: 'proven: the venue never had it',
  UNRESOLVED: 'the outcome of it, or of an order before it, is unknown',
} as const satisfies Readonly<Record<string, string>>;

export type EndCode = keyof typeof END_CODES;

/** Why an intent ended, or an order was not sent: a code for programs, a text for people. */
export type EndReason = Readonly<{ code: EndCode; why: string }>;

/** Reason as stored in the journal: rows of 0.7.0 and earlier have no code. */
export type StoredReason = Readonly<{ code?: EndCode | undefined; why: string }>;

/** Code of an order that lacks the money or shares to pay with. */
export const lackCode = (asset: Asset): EndCode => (asset === 'mUSD' ? 'NO_MONEY' : 'NO_SHARES');
