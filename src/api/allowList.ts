import type { MoveTerms } from '../domain/transfers/transfer.ts';

/**
 * Groups of calls that may be signed. The venue only has keys that read and keys that may do everything, so this list blocks
 * whatever the program does not need. Reads, and placing and cancelling orders, are always allowed; every other write belongs to
 * a group that is off until enabled.
 */
export const ALLOWED_GROUPS = [
  /** Cash from the wallet into the cashier. */
  'deposits',
  /** Cash out of the cashier, to the wallet. */
  'withdrawals',
  /** Stock between wallet and exchange, both ways. */
  'stockMoves',
  /** Orders that first deposit from the wallet. */
  'withDeposit',
  /** Stock in the wallet that repays the debt of deferred sells. */
  'repay',
  /** One Click: prepare, enable, disable. */
  'delegation',
  /** Links of the wallet's own transactions to the key. */
  'record',
  /** Transactions for a wallet to sign, of every kind. */
  'calldata',
  /** Writes that this program does not know. */
  'unlisted',
] as const;
export type AllowedGroup = (typeof ALLOWED_GROUPS)[number];

export const isAllowedGroup = (text: string): text is AllowedGroup =>
  ALLOWED_GROUPS.some((group) => group === text);

/** Group required for each kind of manual transfer. */
export const TRANSFER_GROUPS = {
  cashDeposit: 'deposits',
  cashWithdrawal: 'withdrawals',
  stockDeposit: 'stockMoves',
  stockWithdrawal: 'stockMoves',
  repay: 'repay',
} as const satisfies Record<MoveTerms['kind'], AllowedGroup>;

type Write = readonly [method: 'POST' | 'DELETE', path: string, group: 'trading' | AllowedGroup];

/** Groups of all known writes of the venue. Any other is `unlisted`. */
const WRITES: readonly Write[] = [
  ['POST', '/orders/send', 'trading'],
  ['DELETE', '/orders/{orderId}/send', 'trading'],
  ['POST', '/orders/calldata', 'calldata'],
  ['DELETE', '/orders/{orderId}/calldata', 'calldata'],
  ['POST', '/orders/tx', 'record'],
  ['POST', '/orders/with-deposit/send', 'withDeposit'],
  ['POST', '/orders/with-deposit/calldata', 'calldata'],
  ['POST', '/deferred-sell/repay/send', 'repay'],
  ['POST', '/deferred-sell/repay/calldata', 'calldata'],
  ['POST', '/cash/deposits/send', 'deposits'],
  ['POST', '/cash/deposits/calldata', 'calldata'],
  ['POST', '/cash/deposits/tx', 'record'],
  ['POST', '/cash/withdrawals/send', 'withdrawals'],
  ['POST', '/cash/withdrawals/calldata', 'calldata'],
  ['POST', '/cash/withdrawals/tx', 'record'],
  ['POST', '/stock/deposits/send', 'stockMoves'],
  ['POST', '/stock/deposits/calldata', 'calldata'],
  ['POST', '/stock/deposits/tx', 'record'],
  ['POST', '/stock/withdrawals/send', 'stockMoves'],
  ['POST', '/stock/withdrawals/calldata', 'calldata'],
  ['POST', '/stock/withdrawals/tx', 'record'],
  ['POST', '/1ct/prepare', 'delegation'],
  ['POST', '/1ct/enable', 'delegation'],
  ['POST', '/1ct/disable', 'delegation'],
];

const RULES = WRITES.map(([method, path, group]) => {
  const text = `^/api/v1${path.replace('{orderId}', '(0x)?[0-9a-fA-F]{64}')}$`;
  return { method, group, exact: new RegExp(text), inAnyCase: new RegExp(text, 'i') };
});

/** Path segments without characters that need escaping, which every server parses alike. */
const PLAIN = /^\/api\/v1(\/[A-Za-z0-9._~-]+)+$/;
const DOTS = /\/\.{1,2}(\/|$)/;

/** Reason why a request is not signed. `group`: the one that would allow it; null if there is none. */
export type Denial = Readonly<{ reason: string; group: AllowedGroup | null }>;

/** Denied call, as passed to observers. */
export type DeniedCall = Denial & Target;

/** Method and path, without query, of a request to sign. */
export type Target = Readonly<{ method: string; path: string }>;

/** Denial of a request; null when it may be signed. Pure. */
export function denialOf({ method, path }: Target, allowed: ReadonlySet<AllowedGroup>): Denial | null {
  if (!PLAIN.test(path) || DOTS.test(path))
    return never(
      'its path has an escape, a dot segment or an empty segment, which servers may read differently',
    );
  if (method === 'GET') return null;
  if (method !== 'POST' && method !== 'DELETE') return never('the venue has no such method');
  const rule = RULES.find((each) => each.method === method && each.exact.test(path));
  if (!rule && RULES.some((each) => each.inAnyCase.test(path) && !each.exact.test(path)))
    return never('its path differs from a known call only in upper and lower case');
  const group = rule?.group ?? 'unlisted';
  if (group === 'trading' || allowed.has(group)) return null;
  return { group, reason: `'${group}' is switched off` };
}

const never = (reason: string): Denial => ({ reason, group: null });
