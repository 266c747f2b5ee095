import { TRANSFER_GROUPS, type AllowedGroup } from '../../api/allowList.ts';
import type { MoveTerms } from '../../domain/transfers/transfer.ts';
import type { FundedTerms } from '../../domain/venue.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';

/** Order, cancel or transfer by hand, whichever way it is sent. */
export type Move = Readonly<
  MoveTerms | { kind: 'order'; terms: FundedTerms } | { kind: 'cancel'; orderId: string }
>;

/** Group in `signing.allow` that each kind of move needs; null for trading. */
export const GROUPS = {
  ...TRANSFER_GROUPS,
  order: null,
  orderWithDeposit: 'withDeposit',
  cancel: null,
} as const satisfies Record<Move['kind'] | 'orderWithDeposit', AllowedGroup | null>;

/** The transaction that carries a move out. `signed`: its signer and nonce, where the wallet has sent it itself. */
export type MoveReceipt = Readonly<{ txHash: string; signed?: AccountNonce }>;

const byApi =
  (path: string) =>
  (txHash: string): string =>
    `\`drover api POST /api/v1${path} --data '${JSON.stringify({ txHash })}' --allow record\``;

/** Commands that link a transaction to the key; repayments and cancels need none. */
const LINK_COMMANDS: Readonly<Record<Move['kind'], ((txHash: string) => string) | null>> = {
  cashDeposit: byApi('/cash/deposits/tx'),
  cashWithdrawal: byApi('/cash/withdrawals/tx'),
  stockDeposit: byApi('/stock/deposits/tx'),
  stockWithdrawal: byApi('/stock/withdrawals/tx'),
  order: (txHash) => `\`drover orders record ${txHash}\``,
  repay: null,
  cancel: null,
};

/** Command that links the transaction of a move to the key; null where it needs no link. */
export const linkCommand = ({ kind }: Pick<Move, 'kind'>, txHash: string): string | null =>
  LINK_COMMANDS[kind]?.(txHash) ?? null;
