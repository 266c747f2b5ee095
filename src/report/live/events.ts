import { formatDecimal } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { AccountChange } from '../../domain/account/accountChange.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { describeAction, type Payment } from '../../domain/corporateAction.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { describeScope } from '../../domain/operator/tradingState.ts';

/** Event other than trading, for people. `strategyId`: strategy concerned; null for the whole run. */
export type RunEvent = Readonly<{ at: EpochMs; kind: string; text: string; strategyId: string | null }>;

/** Events of a journal entry. @param changes that it made to the account @param account state after the entry */
export function eventsOf(
  { at, fact }: JournalEntry,
  changes: readonly AccountChange[],
  account: Pick<AccountState, 'epoch'>,
): RunEvent[] {
  const ofRun = (kind: string, text: string): RunEvent => ({ at, kind, text, strategyId: null });
  switch (fact.kind) {
    case 'epoch':
      return account.epoch === 1 || fact.manual ? [] : [ofRun('start', `process ${fact.epoch} of this run`)];
    case 'split':
      return [ofRun('split', describeAction(fact.action))];
    case 'paid':
    case 'paidInTokens':
      return paidEvents(changes, ofRun);
    case 'strategyStopped':
      return [{ ...ofRun('stopped', `${fact.strategyId}: ${fact.error}`), strategyId: fact.strategyId }];
    case 'restricted':
      return [ofRun(fact.state, `${describeScope(fact.scope)}: ${fact.reason}`)];
    case 'restrictionLifted':
      return [ofRun('lifted', `${describeScope(fact.scope)}: ${fact.reason}`)];
    default:
      return changes.flatMap(changeEvents);
  }
}

/** A dividend as one event, with the amount received by the whole account. */
function paidEvents(
  changes: readonly AccountChange[],
  ofRun: (kind: string, text: string) => RunEvent,
): RunEvent[] {
  let [action, inTokens]: [Payment | null, boolean] = [null, false];
  let [amount, came] = [0n, 0n];
  for (const change of changes) {
    if (change.kind !== 'paid') continue;
    action = change.action;
    inTokens = change.price !== undefined;
    amount += change.amount;
    came += change.shares;
  }
  if (!action) return [];
  if (inTokens && came === 0n) return [ofRun('dividend', `nothing came: ${describeAction(action)}`)];
  const tokens = inTokens ? ` as ${formatDecimal(came)} ${action.symbol}` : '';
  return [ofRun('dividend', `${formatDecimal(amount)} mUSD paid${tokens}: ${describeAction(action)}`)];
}

const FLOW_WORDS = {
  cashDeposit: 'deposit',
  cashWithdrawal: 'withdrawal',
  stockDeposit: 'stock in',
  stockWithdrawal: 'stock out',
  accepted: 'accepted',
} as const;

function changeEvents({ at, strategyId: owner, ...change }: AccountChange): RunEvent[] {
  const strategyId = owner === UNALLOCATED ? null : owner;
  const event = (kind: string, text: string): RunEvent[] => [{ at, kind, text, strategyId }];
  switch (change.kind) {
    case 'flow':
      return event(FLOW_WORDS[change.source], amountText(change));
    case 'flowReturned':
      return event('returned', `${amountText(change)}: the transfer has failed`);
    case 'writtenOff':
      return event(
        'writeOff',
        `${amountText(change)}, ${formatDecimal(change.value)} mUSD lost: ${change.why}`,
      );
    case 'reversed':
      return event('reversed', `the chain has undone order ${change.orderId}`);
    case 'debtRepaid':
      return event('repaid', `${formatDecimal(change.quantity)} ${change.symbol ?? ''} that was owed`);
    default:
      return [];
  }
}

const amountText = ({ symbol, shares, cash }: Pick<AccountChange, 'symbol' | 'shares' | 'cash'>): string =>
  symbol === null ? `${formatDecimal(cash)} mUSD` : `${formatDecimal(shares)} ${symbol}`;
