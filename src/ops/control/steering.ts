import { z } from 'zod';
import { isAboveZero, parseCash, parseDecimal, parsePrice, parseShares } from '../../core/amount.ts';
import { type Address, isTicker, ticker } from '../../domain/instrument.ts';
import type { OperatorCommand } from '../../domain/operator/command.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';
import type { MoveTerms } from '../../domain/transfers/transfer.ts';
import { type CommandId, TRADING_STATES, type Scope } from '../../domain/operator/restriction.ts';

/** Maximum length of a reason, in characters. */
const REASON_MAX = 500;
/** Maximum number of orders named in one command. */
const ORDERS_MAX = 100;

const id = z
  .string()
  .regex(/^[A-Za-z0-9-]{8,64}$/, 'must be 8 to 64 letters, digits and hyphens')
  .describe('chosen by the client: the same id gets the first answer again, and nothing is done twice');
/** One line: a second line on a screen or in a log could pass for the run's own output. */
const reason = z
  .string()
  .trim()
  .overwrite((text) => text.replaceAll(/\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g, ' '))
  .max(REASON_MAX)
  .default('')
  .describe('reason, kept in the journal');
const word = (meaning: string) => z.string().min(1).max(100).describe(meaning);
/** Symbol of a stock in any case, converted to upper case. */
export const symbol = z
  .string()
  .max(100)
  .toUpperCase()
  .refine((text): boolean => isTicker(text), 'must be the symbol of a stock, such as AAPL')
  .describe('symbol of a stock, such as AAPL');
const scope = {
  strategy: word('id of a strategy; all of them without it').optional(),
  symbol: symbol.optional(),
};
const decimal = (meaning: string) =>
  z.string().max(80).refine(isAboveZero, 'must be a decimal above 0, such as 12.5').describe(meaning);

/** Fields of every command. */
const common = { id, reason };

/** Field of a body, and of a plan's query. */
export const deferred = z
  .union([z.literal(true), z.literal('true')])
  .optional()
  .describe('sells at once what the wallet delivers later: the shares are owed, within limits.debt');

const orderFields = z.strictObject({
  ...common,
  symbol,
  side: z.enum(['buy', 'sell']),
  shares: z
    .union([z.literal('all'), decimal('number of shares; `all` sells everything that is held')])
    .optional(),
  notional: decimal('mUSD to spend on a buy at the market').optional(),
  limit: decimal('price in mUSD a share; at the market without it').optional(),
  goodTill: z.enum(['day', 'cancelled']).default('day').describe('how long a limit order lasts'),
  deferred,
  strategy: word('id of the strategy whose money and shares it uses; unallocated without it').optional(),
});

const order = orderFields.superRefine((body, context) => {
  const problem = orderProblem(body);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

type OrderBody = Omit<z.output<typeof orderFields>, 'id' | 'reason' | 'symbol' | 'strategy'>;

function orderProblem({ side, shares, notional, limit, deferred: isOwed }: OrderBody): string | null {
  if (isOwed && (side === 'buy' || limit !== undefined || shares === undefined || shares === 'all'))
    return 'deferred is for a sell of a number of shares at the market';
  if ((shares === undefined) === (notional === undefined)) return 'give shares or notional, one of them';
  if (notional !== undefined && (side === 'sell' || limit !== undefined))
    return 'notional is for a buy at the market: give shares';
  if (shares === 'all' && (side === 'buy' || limit !== undefined))
    return '`all` is for a sell at the market: give a number of shares';
  return null;
}

function termsOf({ side, shares = '', notional, limit, goodTill, deferred: isOwed }: OrderBody): IntentTerms {
  if (notional !== undefined) return { kind: 'buy', notional: parseCash(notional) };
  if (shares === 'all') return { kind: 'sell', quantity: 'all' };
  const quantity = parseShares(shares);
  if (isOwed) return { kind: 'sellDeferred', quantity };
  if (limit !== undefined) return { kind: 'limit', side, quantity, price: parsePrice(limit), goodTill };
  return side === 'buy' ? { kind: 'buyShares', quantity } : { kind: 'sell', quantity };
}

const CASH_KINDS = ['cashDeposit', 'cashWithdrawal'] as const;
const STOCK_KINDS = ['stockDeposit', 'stockWithdrawal', 'repay'] as const;

const transfer = z
  .strictObject({
    ...common,
    kind: z.enum([...CASH_KINDS, ...STOCK_KINDS]),
    token: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
      .describe('contract of the cash token, or of the stock'),
    symbol: symbol.optional().describe('symbol of the stock; none for cash'),
    amount: decimal('in whole units of the cash token, mUSD for a withdrawal, or shares'),
  })
  .refine(({ kind, symbol: of }) => isCash(kind) === (of === undefined), {
    message: 'a transfer of stock and a repayment name the symbol, one of cash does not',
  });

type TransferKind = (typeof CASH_KINDS)[number] | (typeof STOCK_KINDS)[number];
const isCash = (kind: TransferKind): kind is (typeof CASH_KINDS)[number] =>
  (CASH_KINDS as readonly string[]).includes(kind);

function moveOf({ kind, token: address, symbol: of = '', amount }: z.output<typeof transfer>): MoveTerms {
  const token = address as Address;
  return isCash(kind)
    ? { kind, token, amount: parseDecimal(amount) }
    : { kind, symbol: ticker(of), token, amount: parseShares(amount) };
}

type ScopeFields = Readonly<{ strategy?: string | undefined; symbol?: string | undefined }>;

/** Scope from the fields of a verb. */
export const scopeOf = ({ strategy, symbol: of }: ScopeFields): Scope => ({
  ...(strategy === undefined ? {} : { strategyId: strategy }),
  ...(of === undefined ? {} : { symbol: ticker(of) }),
});

type BodySchema = z.ZodType<Readonly<{ id: string; reason: string }>>;

/** Endpoint of a command: `POST /v1/<verb>`. */
export type Verb<Command extends OperatorCommand = OperatorCommand> = Readonly<{
  summary: string;
  body: BodySchema;
  /** True for a command that moves money or shares manually. */
  isMoney: boolean;
  /** @throws {z.ZodError} when the body is invalid */
  parse: (body: unknown) => Readonly<{ id: CommandId; reason: string; command: Command }>;
}>;

type VerbParts<Body extends BodySchema, Command extends OperatorCommand> = Readonly<{
  summary: string;
  body: Body;
  isMoney?: boolean;
  command: (body: z.output<Body>) => Command;
}>;

const verb = <Body extends BodySchema, Command extends OperatorCommand>({
  summary,
  body,
  isMoney = false,
  command,
}: VerbParts<Body, Command>): Verb<Command> => ({
  summary,
  body,
  isMoney,
  parse(value) {
    const parsed = body.parse(value);
    return { id: parsed.id as CommandId, reason: parsed.reason, command: command(parsed) };
  },
});

/** All operator commands by verb. */
export const VERBS = {
  trade: verb({
    summary:
      'Sets the state of trading; `active` lifts every restriction of exactly this scope, whatever its cause.',
    body: z.strictObject({
      ...common,
      ...scope,
      state: z.enum(TRADING_STATES),
      cancel: z
        .boolean()
        .default(false)
        .describe('reducing: open buys are cancelled, too; halted: all orders'),
    }),
    command: ({ state, cancel, ...fields }) => ({ kind: 'trade', state, scope: scopeOf(fields), cancel }),
  }),
  cancel: verb({
    summary: 'Cancels open orders.',
    body: z.strictObject({
      ...common,
      ...scope,
      orders: z.array(word('id of an order or an intent')).min(1).max(ORDERS_MAX).optional(),
    }),
    command: ({ orders, ...fields }) => ({
      kind: 'cancel',
      scope: scopeOf(fields),
      ...(orders ? { orders } : {}),
    }),
  }),
  flatten: verb({
    summary: 'Halts a scope, cancels its orders and sells what its strategies hold.',
    body: z.strictObject({
      ...common,
      ...scope,
      unallocated: z.boolean().default(false).describe('also sells unallocated shares'),
    }),
    command: ({ unallocated, ...fields }) => ({ kind: 'flatten', scope: scopeOf(fields), unallocated }),
  }),
  freeze: verb({
    summary: 'Freezes a symbol.',
    body: z.strictObject({ ...common, symbol }),
    command: (body) => ({ kind: 'freeze', symbol: ticker(body.symbol) }),
  }),
  unfreeze: verb({
    summary: 'Lifts a freeze, once a complete read of the venue shows no reason for it.',
    body: z.strictObject({
      ...common,
      subject: word('a symbol, `fees`, `one-click` or a cash token'),
      acceptTerms: z.boolean().default(false).describe('accepts the new terms of the venue'),
    }),
    command: ({ subject, acceptTerms }) => ({ kind: 'unfreeze', subject, acceptTerms }),
  }),
  accept: verb({
    summary: "Takes the venue's balance of an asset into the ledger.",
    body: z.strictObject({
      ...common,
      asset: word('a symbol, or the asset as a difference names it'),
      for: word('id of the owning strategy; without it unallocated').optional(),
      preview: z.boolean().default(false).describe('only shows what it would accept'),
    }),
    command: ({ asset, for: owner, preview }) => ({
      kind: 'accept',
      asset,
      ...(preview ? { preview } : {}),
      ...(owner === undefined ? {} : { for: owner }),
    }),
  }),
  'accept-order': verb({
    summary: 'Accepts an external order as known and intended.',
    body: z.strictObject({ ...common, txHash: word('hash of its transaction') }),
    command: ({ txHash }) => ({ kind: 'acceptOrder', txHash }),
  }),
  resolve: verb({
    summary: 'Vouches that an unanswered order or transfer was never carried out.',
    body: z.strictObject({ ...common, subject: word('id of the order or transfer') }),
    command: ({ subject }) => ({ kind: 'resolve', id: subject }),
  }),
  acknowledge: verb({
    summary: 'Acknowledges alarms.',
    body: z.strictObject({ ...common, alarm: word('id of an alarm; all of them without it').optional() }),
    command: ({ alarm }) => ({ kind: 'acknowledge', ...(alarm === undefined ? {} : { alarm }) }),
  }),
  orders: verb({
    summary: 'Places a manual order, through the gate and the limits of the run.',
    body: order,
    isMoney: true,
    command: ({ symbol: of, strategy, ...body }) => ({
      kind: 'order',
      symbol: ticker(of),
      terms: termsOf(body),
      ...(strategy === undefined ? {} : { strategyId: strategy }),
    }),
  }),
  transfers: verb({
    summary: 'Moves cash or stock between wallet and venue by hand.',
    body: transfer,
    isMoney: true,
    command: (body) => ({ kind: 'transfer', terms: moveOf(body) }),
  }),
  reload: verb({
    summary:
      'Rereads limits, polling periods, the calendar and rules for external changes from the config file.',
    body: z.strictObject({
      ...common,
      dryRun: z.boolean().default(false).describe('only shows what would change'),
      yes: z.boolean().default(false).describe('limits may become looser in mode live'),
    }),
    command: ({ dryRun, yes }) => ({ kind: 'reload', changes: {}, dryRun, yes }),
  }),
  stop: verb({
    summary: 'Shuts the run down.',
    body: z.strictObject({
      ...common,
      cancel: z.boolean().default(false).describe('open orders are cancelled first'),
    }),
    command: ({ cancel }) => ({ kind: 'stop', cancel }),
  }),
} as const satisfies Readonly<Record<string, Verb>>;
