import { formatDecimal, notionalOf, shares } from '../../src/core/amount.ts';
import { MIN_NOTIONAL } from '../../src/domain/fees.ts';
import { covers } from '../../src/domain/operator/tradingState.ts';
import { isUnanswered, txHashOf, type OrderId } from '../../src/domain/orders/order.ts';
import { areAlike, isDenied, isHalted, isLiedAbout, isMoving, type Lies } from './allowances.ts';
import { judgeCheckpoints } from './checkpoints.ts';
import { decidesAgain } from './replaying.ts';
import type { Simulation } from './simulation.ts';
import { gapOf } from './standing.ts';

/** Checks what must hold a while after the end: the journal against the venue. */
export function judgeEnd(simulation: Simulation): void {
  const { judge, plan } = simulation;
  countTheSeen(simulation);
  judge.believes(booksOf(simulation));
  onceEach(simulation);
  allKnown(simulation);
  endsAgree(simulation);
  moneyAgrees(simulation);
  for (const { assumed } of judge.absent) simulation.sometimes[assumed ? 'assumedGone' : 'neverExisted']++;
  if (plan.bounded) allEnded(simulation);
  for (const fault of simulation.notified.faults()) judge.accuse('P11', fault);
  decidesAgain(simulation);
  judgeCheckpoints(simulation.disk.entries(), simulation.judge);
}

const booksOf = ({ runner }: Simulation) => {
  if (!runner) throw new Error('nothing ran');
  return runner.kernel.context.accountState;
};

/** P1: an intent has at most one order at the venue. */
function onceEach({ venue, judge }: Simulation): void {
  const made = new Map<string, string>();
  for (const [mark, txHash] of venue.txByMark) {
    const id = judge.journaled.get(mark);
    if (id === undefined) continue;
    if (made.has(id)) judge.accuse('P1', `${id} has two orders: ${String(made.get(id))} and ${txHash}`);
    else made.set(id, txHash);
  }
}

/** P2: every order at the venue is in the account state as what it is. */
function allKnown(simulation: Simulation): void {
  const { venue, judge } = simulation;
  const accountState = booksOf(simulation);
  const orders = venue.orders();
  for (const [mark, txHash] of venue.txByMark) {
    const id = judge.journaled.get(mark);
    const word = orders.get(txHash)?.word ?? 'Pending';
    if (accountState.byTx.get(txHash) === id || word === 'Pending' || word === 'Failed') continue;
    const order = accountState.orders.get(id as OrderId);
    if (isDenied(liesOf(simulation), order)) continue;
    // Found under a transaction that the venue has invented, on the same terms: it freezes as soon as both are shown.
    const found = order ? txHashOf(order) : null;
    if (order && found !== null && !orders.has(found) && accountState.frozen.has(order.terms.symbol))
      continue;
    if (order && areAlike(order, accountState.orders.get(accountState.byTx.get(txHash) ?? ('' as OrderId))))
      continue;
    const whose = accountState.byTx.get(txHash) ?? (accountState.external.has(txHash) ? 'foreign' : 'nobody');
    judge.accuse('P2', `order ${txHash} of ${id ?? '?'} (${word}) is taken for that of ${whose}`);
  }
  for (const txHash of venue.foreign) {
    const word = orders.get(txHash)?.word ?? 'Pending';
    if (word === 'Pending' || word === 'Failed' || accountState.external.has(txHash)) continue;
    judge.accuse('P2', `the foreign order ${txHash} (${word}) is not told of`);
  }
}

const liesOf = (simulation: Simulation): Lies => ({
  lied: simulation.venue.lied,
  isTold: (id) => isTold(simulation, id),
});

/** P4: an order that has ended moved the amounts in the journal, or its symbol is frozen. */
function endsAgree(simulation: Simulation): void {
  const { venue, judge } = simulation;
  const accountState = booksOf(simulation);
  const orders = venue.orders();
  for (const { id, state, terms } of accountState.orders.values()) {
    if (state.kind !== 'closed' || accountState.frozen.has(terms.symbol)) continue;
    const { settlement } = orders.get(state.txHash) ?? {};
    const ours = [state.settlement?.pay ?? 0n, state.settlement?.receive ?? 0n].map(formatDecimal).join(', ');
    const theirs = [settlement?.pay ?? 0n, settlement?.receive ?? 0n].map(formatDecimal).join(', ');
    if (ours !== theirs) judge.accuse('P4', `${id} (${state.how}) moved ${theirs}; the journal says ${ours}`);
  }
}

/** True for more of a stock that pays in tokens, where an alarm says that it is not what is due: buys of it wait, nothing is frozen. */
const isGrowthTold = (simulation: Simulation, asset: string): boolean =>
  [...booksOf(simulation).actions.unpaid.values()].some(({ action }) => action.symbol === asset) &&
  simulation.alarms.some((text) => text.includes(` ${asset} more than the ledger, worth `));

/** P4: ledger and account agree to the last digit; or the difference is ours, and was reported, its symbol frozen, or is dust. */
function moneyAgrees(simulation: Simulation): void {
  const { venue, judge } = simulation;
  const accountState = booksOf(simulation);
  const isAssumed = judge.absent.some(({ assumed }) => assumed);
  for (const asset of accountState.ledger.assets) {
    const gap = gapOf(venue, accountState, asset);
    if (gap === 0n) continue;
    if (isMoving(accountState, asset)) continue;
    // What is locked again by an order that should have ended is missing from no balance that is shown: its symbol is frozen.
    const dust = simulation.runner?.kernel.reconciliation.dust.all ?? [];
    const isStopped = isHalted(accountState, asset) || dust.some(({ key }) => key === asset);
    if (gap > 0n && isGrowthTold(simulation, asset)) continue;
    const isMoved = judge.moved.has(asset) || judge.moved.has('all') || isAssumed;
    if (isStopped && (isMoved || isLiedAbout(venue, asset))) continue;
    const how = isStopped ? 'told, but nobody has moved it' : 'and nobody was told';
    judge.accuse('P4', `${asset}: the venue has ${formatDecimal(gap)} more than the ledger says, ${how}`);
  }
}

/** P7, a while after the last fault: everything unknown then is resolved, or an alarm was raised. */
export function judgeHealed(simulation: Simulation, unanswered: readonly string[]): void {
  const { judge, runner, life } = simulation;
  const { accountState, holds } = runner?.kernel.context ?? {};
  allAnswered(simulation);
  if (life?.alive === true && waitsAtStart(simulation)) return;
  if (!accountState || !holds || life?.alive !== true || runner?.phase !== 'running')
    return judge.accuse('P7', 'nothing is wrong any more, and the runner does not run');
  if (holds.everything !== null) judge.accuse('P7', `nothing is wrong any more, and yet ${holds.everything}`);
  for (const id of unanswered) {
    const order = [...accountState.live.values()].find((each) => each.id === id);
    if (order && isUnanswered(order) && !isTold(simulation, id))
      judge.accuse('P7', `${id} has no answer, long after the last fault, and nobody was told`);
  }
}

/** P9, a while after the last fault: every command is answered, and a flatten is done or says what is left. */
function allAnswered({ judge, plan, runner }: Simulation): void {
  for (const { request, answer, isFlattening } of runner?.kernel.context.accountState.commands.all ?? []) {
    const { id, command } = request;
    const given = judge.restraint.commands.get(id);
    if (!given || given.at >= plan.healAt) continue;
    if (!answer) judge.accuse('P9', `${id} (${command.kind}) has no answer, long after the last fault`);
    if (isFlattening && runner?.phase === 'running' && runner.progress(id)?.left.length === 0)
      judge.accuse('P9', `the flatten ${id} has nothing left, and does not end`);
  }
}

/** P9, as a flatten ends by itself: nothing that it could sell is left, and no order of its scope is open. */
export function judgeFlattened({ judge, runner }: Simulation, id: string): void {
  const { accountState, market } = runner?.kernel.context ?? {};
  const command = judge.restraint.commands.get(id)?.command;
  if (!accountState || !market || command?.kind !== 'flatten') return;
  const { scope } = command;
  for (const { id: order, strategyId, terms } of accountState.live.values())
    if (covers(scope, { strategyId, symbol: terms.symbol }))
      judge.accuse('P9', `the flatten ${id} ends, and its order ${order} is open`);
  for (const strategyId of accountState.allocations.keys())
    for (const symbol of accountState.ledger.assets) {
      if (symbol === 'mUSD' || !covers(scope, { strategyId, symbol })) continue;
      const held = shares(accountState.ledger.held(strategyId, symbol));
      const price = market.price(symbol);
      if (held === 0n || (price !== null && notionalOf(held, price, 'down') < MIN_NOTIONAL)) continue;
      judge.accuse('P9', `the flatten ${id} ends, and ${strategyId} has ${formatDecimal(held)} ${symbol}`);
    }
}

/** True when the run found, for a reason, that account and ledger differ at its start, and waits for a person. */
function waitsAtStart({ judge, venue, runner, alarms, sometimes }: Simulation): boolean {
  const isTold = alarms.some((text) => text.startsWith('nothing is sent until ledger and account agree'));
  if (runner?.phase !== 'starting' || !isTold) return false;
  sometimes.startWaited++;
  const isMoved = judge.moved.size > 0 || venue.foreign.size > 0 || venue.lied.size > 0;
  return isMoved || judge.absent.some(({ assumed }) => assumed);
}

const isTold = ({ alarms }: Simulation, id: string): boolean =>
  alarms.some((text) => text.includes(`order ${id}`));

/** P7: every order has ended, or an alarm says that it has not. An order of a continuing phase may still be open. */
function allEnded(simulation: Simulation): void {
  const now = simulation.time.now();
  for (const { id, state, until = now } of booksOf(simulation).live.values())
    if (until <= now && !isTold(simulation, id))
      simulation.judge.accuse('P7', `${id} is still ${state.kind}, and nobody was told`);
}

function countTheSeen(simulation: Simulation): void {
  const { venue, sometimes, alarms } = simulation;
  const { orders, transactions, mappings } = venue.machine.state;
  const receipts = new Map(transactions.map(({ hash, receipt }) => [hash, receipt]));
  const sentAt = new Map(mappings.map(({ txHash, createdAt }) => [txHash, createdAt]));
  for (const { word, filled, quantity, changes, minedAt, txHash } of orders) {
    const revert = receipts.get(txHash)?.revert;
    if (revert?.includes('deadline')) sometimes.deadlineRevert++;
    if (revert?.includes('insufficient')) sometimes.insufficientRevert++;
    if (revert?.includes('out of gas')) sometimes.outOfGas++;
    if (quantity !== null && filled > 0n && filled < quantity) sometimes.partialFill++;
    if (filled > 0n && changes.some(({ raw }) => raw === 'canceling')) sometimes.fillDuringCancel++;
    if (word !== 'Failed' && minedAt !== null && minedAt - (sentAt.get(txHash) ?? minedAt) > 15_000)
      sometimes.minedLate++;
  }
  for (const order of booksOf(simulation).orders.values())
    if (order.cancel.kind === 'unknown') sometimes.cancelLost++;
  sometimes.foundLater += alarms.filter((text) => text.includes('has turned up')).length;
}
