import { formatDecimal, toNumber } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { backfillOf } from './backfill.ts';
import { visibleChange, type VenueState } from '../state/venueState.ts';
import { linkView } from './orderView.ts';
import type { Mapping, Operation, OperationChange } from '../state/state.ts';
import type { MoveWord } from '../state/constants.ts';

/** An operation as the indexer shows it; without `change` the indexer has not seen it. */
export function operationSight(venue: VenueState, mapping: Mapping, until: EpochMs) {
  const seen = backfillOf(venue, mapping, until);
  const operation = venue.operations.get(seen?.operationId ?? '') ?? null;
  const change = operation && visibleChange(operation, until);
  const word = change?.word ?? (seen?.reverted ? 'failed' : 'Pending');
  return { mapping, operation, change, word };
}

type ShownOperation = Readonly<ReturnType<typeof operationSight>>;

/** A cash operation; amounts are numbers, as in the specification. */
const cashView = (operation: Operation, { word }: OperationChange) => ({
  operationId: operation.operationId,
  userAddress: operation.userAddress,
  tokenAddress: operation.token,
  status: word,
  isInstant: operation.isInstant,
  amount: toNumber(operation.amount),
  creditAmount: toNumber(operation.credit),
  feeAmount: toNumber(operation.fee),
  createTxHash: operation.txHash,
  settleTxHash: word === 'processing' ? null : operation.settleTxHash,
});

const stockView = (operation: Operation, { word }: OperationChange) => ({
  operationId: operation.operationId,
  userAddress: operation.userAddress,
  tokenAddress: operation.token,
  stockSymbol: operation.asset,
  status: word,
  amount: formatDecimal(operation.amount),
  createTxHash: operation.txHash,
});

/** Fields that each kind adds to its link. */
const FIELDS: Readonly<Record<MoveWord, readonly string[]>> = {
  deposit: ['depositOperation', 'withdrawalOperation'],
  withdraw: ['withdrawalOperation', 'depositOperation'],
  stock_deposit: ['stockOperation'],
  stock_withdraw: ['stockOperation'],
};

function partsOf({ mapping, operation, change }: ShownOperation) {
  const [field = '', ...others] = FIELDS[operation?.type ?? (mapping.type as MoveWord)];
  const view = operation?.asset === 'USDC' ? cashView : stockView;
  const empty = Object.fromEntries(others.map((other) => [other, null]));
  return { [field]: operation && change && view(operation, change), ...empty };
}

export const operationLink = ({ mapping, operation, change, word }: ShownOperation) =>
  linkView(mapping, {
    status: word,
    orderId: null,
    operationId: (change && operation?.operationId) ?? null,
  });

export const operationRow = (shown: ShownOperation) => ({ ...operationLink(shown), ...partsOf(shown) });

/** Response of `…/{operationId}`. */
export const operationDetail = (shown: ShownOperation) => ({
  mappingStatus: shown.word,
  operationStatus: shown.change?.word ?? null,
  mapping: operationLink(shown),
  ...partsOf(shown),
});
