import { z } from 'zod';
import { TRANSFER_GROUPS, type AllowedGroup } from '../../api/allowList.ts';
import { parseCash } from '../../core/amount.ts';
import { type Address, QUOTE_PHASES } from '../../domain/instrument.ts';
import {
  DIVIDEND_TOLERANCE_BPS,
  DIVIDEND_WAYS,
  EX_DATE_BEGINS,
  EXIT_DIVIDENDS,
} from '../../domain/corporateAction.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { ExternalRules } from '../../domain/limits.ts';
import type { TokenRatio } from '../../domain/premium.ts';
import type { TreasuryPolicies } from '../../engine/treasury/policy.ts';
import type { MoveTerms } from '../../domain/transfers/transfer.ts';
import { address, cashAmount, readBy } from './fields.ts';
import type { RunConfig, VenueConfig } from './schema.ts';
import { ASSUMED, assumptionsOf, type Assumptions } from '../../api/assumptions/assumptions.ts';
import { assumptionOverlay } from '../../api/assumptions/overlay.ts';
import { routerFunctions } from '../../wallet/router.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { QuoteSlippage } from '../../sim/simulatedVenue.ts';
import { parseSlippage } from '../../sim/slippage.ts';

/** Lowest value for such limits; the venue's own minimum is below it. */
const AT_LEAST = '100';

const perDay = (what: string) =>
  cashAmount().describe(`Maximum value that ${what} in any 24 hours, in mUSD.`);

const cashBuffer = z.strictObject({
  below: cashAmount().describe('Deposits cash when less than this is free in the cashier, in mUSD.'),
  upTo: cashAmount().describe('Amount of free cash that a deposit restores, in mUSD.'),
  atLeast: cashAmount()
    .optional()
    .describe(`Smallest deposit, in mUSD; the venue has a minimum of its own. Default ${AT_LEAST}.`),
  maxPerDay: perDay('is deposited'),
  token: address().optional().describe('The cash token to deposit. Required if the wallet holds several.'),
});

const stockForSells = z.strictObject({
  how: z
    .enum(['off', 'deposit', 'asked'])
    .describe(
      '`deposit`: a sell that lacks stock on the exchange waits until the stock has come from the wallet. `asked`: only a sell that a strategy ' +
        'orders with depositFirst, where its allowOrders names depositsBeforeSells.',
    ),
  maxPerOrder: cashAmount().describe('Maximum value moved for one sell, in mUSD at the latest price.'),
  maxPerDay: perDay('is moved for sells'),
});

const repayDebt = z.strictObject({ maxPerDay: perDay('is repaid from stock of the wallet') });

export const treasury = z.strictObject({
  cashBuffer: cashBuffer.optional().describe('Keeps cash in the cashier, out of the wallet.'),
  stockForSells: stockForSells.optional().describe('Brings stock of the wallet to sells that lack it.'),
  repayDebt: repayDebt.optional().describe('Repays the debt of deferred sells with stock of the wallet.'),
  approve: z
    .record(z.string().min(1), cashAmount())
    .optional()
    .describe(
      'Largest amount of a token that the wallet may approve by itself when a policy needs more than is approved, ' +
        'such as { USDC: 2000, SPY: 5 }, in whole tokens. A person approves the others: `drover wallet approve`.',
    ),
});

const ALARM = 'alarm';
const accepting = z.union([
  z.enum([ALARM, 'accept']),
  z.strictObject({ accept: z.string().min(1).describe('Strategy they are booked to.') }),
]);

/** Longest time that an order may take to be mined, by the rule for orders. */
const DEADLINE_MAX_SECONDS = 120;

/** Terms of outgoing orders. */
export const orders = z.strictObject({
  collarBps: z
    .int()
    .min(0)
    .max(1_000)
    .default(50)
    .describe('How much above the quote a buy of a number of shares may pay, in hundredths of a percent.'),
  deadlineSeconds: z
    .int()
    .min(20)
    .max(DEADLINE_MAX_SECONDS)
    .default(90)
    .describe('Time in which a sent order may be mined, in seconds.'),
  assumeGoneAfterMinutes: z
    .int()
    .min(5)
    .max(10_080)
    .optional()
    .describe(
      'Minutes after which an unanswered order that cannot be proven gone is closed as assumed gone, once the  ' +
        'account, read after that, agrees. Without it, `drover orders resolve` closes it.',
    ),
});

/** Phases in which orders are sent. */
export const trade = () =>
  z
    .array(z.enum(QUOTE_PHASES))
    .min(1)
    .max(QUOTE_PHASES.length)
    .refine((phases) => phases.includes('regular'), 'must include regular');

const everyMs = (normal: number) => z.int().min(100).max(3_600_000).default(normal);

/** Polling intervals. */
export const polling = z.strictObject({
  quotesMs: everyMs(5_000).describe('How often prices are read, in ms.'),
  ordersMs: everyMs(5_000).describe('How often orders are read while one is on its way, in ms.'),
  restingMs: everyMs(10_000).describe('How often orders are read while limit orders only rest, in ms.'),
  accountMs: everyMs(30_000).describe('How often balance and positions are compared with the ledger, in ms.'),
  tokenPricesMs: z
    .int()
    .min(5_000)
    .max(120_000)
    .optional()
    .describe(
      'How often the prices of tokens are read, in ms, one request a stock. Default: 60000 where limits.premiumBps is set, else never.',
    ),
});

/** Rules for exits that the runner holds itself. */
export const exits = z.strictObject({
  dividends: z
    .enum(EXIT_DIVIDENDS)
    .default('keep')
    .describe(
      'On the ex-date of a dividend, stops and trailing stops given as prices move down by its amount (`adjust`) or stay (`keep`).',
    ),
});

/** Number of shares that one token represents. */
const tokenRatio = () =>
  readBy(cashAmount(), (shares): TokenRatio => shares as bigint as TokenRatio)
    .optional()
    .describe('Shares that one token stands for, such as 1.0024. Overrides what the venue states.');

/** Traits of one stock. */
export const stockTraits = z.strictObject({
  dividends: z
    .enum(DIVIDEND_WAYS)
    .optional()
    .describe('How its dividends are paid. Default: venue.dividends.'),
  tokenRatio: tokenRatio(),
  trade: trade().optional().describe('Phases in which it is traded, out of those its strategy trades.'),
  extendedHours: z
    .boolean()
    .optional()
    .describe('Whether it trades in pre and post. Default: venue.extendedHours.'),
});

/** Rules for external changes to the account. */
export const external = z.strictObject({
  orders: z
    .enum([ALARM, 'count'])
    .default(ALARM)
    .describe(
      'Orders placed outside drover with this key. `alarm`: a start waits until they are accepted. `count`: they count in the exposure, ' +
        'without an alarm. Their fills are a difference unless `fills` books them.',
    ),
  deposits: accepting
    .default(ALARM)
    .describe(
      'Cash deposits made outside drover: `alarm`, `accept` (unallocated), or { accept: STRATEGY }. A deposit is accepted once, ' +
        "if the venue's list shows it with its hash, as finished, for exactly the difference.",
    ),
  withdrawals: accepting
    .default(ALARM)
    .describe('Cash withdrawals made outside drover, likewise: only from an owner with enough free money.'),
  stockMoves: accepting
    .default(ALARM)
    .describe('Stock moved between wallet and venue outside drover, likewise.'),
  fills: accepting
    .default(ALARM)
    .describe(
      'Fills of orders placed outside drover, likewise: once the venue lists the order as ended, and cash ' +
        'and shares both differ by exactly what it settled. A sale is taken only from an owner with enough free shares.',
    ),
});

/** Rules of the config for external changes, by the owner that they are booked to. */
export function externalRulesOf({ external: rules }: Pick<RunConfig, 'external'>): ExternalRules {
  const ownerOf = (rule: z.output<typeof accepting>) => {
    if (rule === ALARM) return null;
    return rule === 'accept' ? UNALLOCATED : rule.accept;
  };
  const { orders, deposits, withdrawals, stockMoves, fills } = rules;
  return {
    orders,
    deposits: ownerOf(deposits),
    withdrawals: ownerOf(withdrawals),
    stockMoves: ownerOf(stockMoves),
    fills: ownerOf(fills),
  };
}

const TRANSFER_KINDS = Object.keys(TRANSFER_GROUPS) as MoveTerms['kind'][];

/** Enabled policies, and the transfers that people may make by hand. */
export function policiesOf({
  treasury: { cashBuffer, stockForSells, repayDebt, approve },
  signing: { allow },
}: RunConfig): TreasuryPolicies {
  return {
    byHand: new Set(TRANSFER_KINDS.filter((kind) => allow.includes(TRANSFER_GROUPS[kind]))),
    ...(cashBuffer ? { cashBuffer: bufferOf(cashBuffer) } : {}),
    ...(stockForSells && stockForSells.how !== 'off' ? { stockForSells: coverOf(stockForSells) } : {}),
    ...(repayDebt ? { repayDebt } : {}),
    ...(approve ? { approve: capsOf(approve) } : {}),
  };
}

const coverOf = ({ how, maxPerOrder, maxPerDay }: z.output<typeof stockForSells>) => ({
  maxPerOrder,
  maxPerDay,
  onlyAsked: how === 'asked',
});

const capsOf = (caps: Readonly<Record<string, bigint>>): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(caps).map(([name, cap]) => [name.toUpperCase(), cap]));

function bufferOf({ token, atLeast, ...caps }: z.output<typeof cashBuffer>) {
  const lower = token?.toLowerCase() as Address | undefined;
  return { ...caps, atLeast: atLeast ?? parseCash(AT_LEAST), token: lower };
}

/** Permissions that the enabled policies need. */
export function policyGroups(config: RunConfig): AllowedGroup[] {
  const { cashBuffer, stockForSells, repayDebt } = policiesOf(config);
  return [
    ...(cashBuffer ? ['deposits' as const] : []),
    ...(stockForSells ? ['stockMoves' as const] : []),
    ...(repayDebt ? ['repay' as const] : []),
  ];
}

/** `venue.assumptions`: field names and words of the API, and signatures of the router's functions. */
export const assumptions = assumptionOverlay.extend({
  functions: routerFunctions
    .optional()
    .describe("Signatures of the router's functions, by the names used here, where the venue's differ."),
});

/** Names and words that this venue uses. */
export const assumptionsIn = ({ assumptions: overlay }: Pick<VenueConfig, 'assumptions'>): Assumptions =>
  overlay === undefined ? ASSUMED : assumptionsOf(overlay);

/** Settings of `venue` for tokens and payments on them. */
export const tokenFields = {
  tokenRatio: tokenRatio(),
  dividends: z
    .enum(DIVIDEND_WAYS)
    .optional()
    .describe(
      'How dividends are paid: as `cash`, in `tokens` (the balance of the stock grows), or within the `price`. Default: `cash`.',
    ),
  exDates: z
    .enum(EX_DATE_BEGINS)
    .optional()
    .describe(
      'When an ex-date begins where `trade` names phases outside the session: at 20:00 of the `evening` before, or at the `open`. ' +
        'Whoever holds the stock then gets the dividend. Default: `evening`; `open` with `mode: emulator`.',
    ),
  withheldPercent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('Share of each dividend that is withheld, in percent, to two decimals. Default: 0.'),
  dividendToleranceBps: z
    .int()
    .min(1)
    .max(2_000)
    .optional()
    .describe(
      'How far the value of shares received may differ from the dividend due and still count as its payment, in hundredths of a percent. ' +
        `Default: ${DIVIDEND_TOLERANCE_BPS}.`,
    ),
};

/** @throws {InvalidValueError} naming the accepted forms */
function readSlippage(text: string): QuoteSlippage {
  const slippage = parseSlippage(text);
  if (slippage.kind === 'volume')
    throw new InvalidValueError(`${text}: a quote has no volume. Write "none", "bps:5" or "spread:0.5"`);
  return slippage;
}

export const dryRun = z.strictObject({
  cash: cashAmount().describe(
    'Opening cash of the simulated account, in mUSD. A state folder keeps the amount it began with.',
  ),
  slippage: readBy(z.string(), readSlippage)
    .prefault('spread:0.5')
    .describe(
      'What an order loses against the quote: `none`, `bps:5`, or `spread:0.5` for half a spread in bps, rounded to the next tick. Fees are those of the venue.',
    ),
});

/** Modules and globals available to a strategy in addition to its view. */
export const allow = () =>
  z
    .array(z.string())
    .max(0, {
      error:
        'strategies may no longer use modules of Node or the network. Give it your own files with `series` and texts from the ' +
        'network with `fetch`, and remove this',
    })
    .default([])
    .describe(
      'Must be empty. It used to allow modules of Node and the network; `series` and `fetch` give a strategy data now.',
    );

/** Limits on strategy threads. */
export const isolation = z.strictObject({
  hookSeconds: z
    .number()
    .min(0.05)
    .max(600)
    .default(5)
    .describe(
      "Longest time that a strategy's hook may take, in real seconds; beyond it the strategy is stopped.",
    ),
  startSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(30)
    .describe('Longest time for loading its file, `data` and `create`, in real seconds.'),
  memoryMb: z
    .int()
    .min(64)
    .max(65_536)
    .default(512)
    .describe(
      'Maximum memory of a thread, in MB. A strategy that needs more is stopped; if strategies sharing a thread need more together, each gets its own.',
    ),
});

type Isolation = z.output<typeof isolation>;

/** Isolation settings when there is no config. */
export const defaultIsolation: Isolation = isolation.parse({});

/** Limits on one thread of strategies, in real time whatever the speed of the run's clock. */
export type IsolationLimits = Readonly<{
  /** Longest time for a hook, in ms. */
  hookMs: number;
  /** Longest time for each of loading the file, `data` and `create`, in ms. */
  startMs: number;
  /** Maximum memory of all its strategies together, in MB. */
  memoryMb: number;
}>;

export const limitsOf = ({ hookSeconds, startSeconds, memoryMb }: Isolation): IsolationLimits => ({
  hookMs: hookSeconds * 1_000,
  startMs: startSeconds * 1_000,
  memoryMb,
});
