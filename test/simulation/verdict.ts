import { formatDecimal } from '../../src/core/amount.ts';
import { balanceOf } from '../../src/emulator/ledger.ts';
import type { Simulation } from './simulation.ts';

/** What must hold when everything has been over for a while: the journal's world against the venue's. */
export function judgeEnd(simulation: Simulation): void {
  countTheSeen(simulation);
  onceEach(simulation);
  allKnown(simulation);
  noneDenied(simulation);
  moneyAgrees(simulation);
  if (simulation.plan.bounded) allEnded(simulation);
}

const booksOf = ({ runner }: Simulation) => {
  if (!runner) throw new Error('nothing ran');
  return runner.kernel.desk.books;
};

/** P1: an intent has at most one order at the venue. */
function onceEach({ venue, judge }: Simulation): void {
  const made = new Map<string, string>();
  for (const [nonce, order] of venue.ordersByNonce) {
    const id = judge.journaled.get(nonce);
    if (id === undefined) judge.accuse('P1', `the journal does not know the request of ${order.txHash}`);
    else if (made.has(id))
      judge.accuse('P1', `${id} has two orders: ${String(made.get(id))} and ${order.txHash}`);
    else made.set(id, order.txHash);
  }
}

/** P2: every order at the venue is in the books as what it is. */
function allKnown(simulation: Simulation): void {
  const { venue, judge } = simulation;
  const books = booksOf(simulation);
  for (const [nonce, { txHash, word }] of venue.ordersByNonce) {
    const id = judge.journaled.get(nonce);
    if (books.byTx.get(txHash) === id) continue;
    if (word === 'Pending' || word === 'Failed') continue;
    const whose = books.byTx.get(txHash) ?? (books.external.has(txHash) ? 'foreign' : 'nobody');
    judge.accuse('P2', `order ${txHash} of ${id ?? '?'} (${word}) is taken for that of ${whose}`);
  }
  for (const txHash of venue.foreign) {
    const { word } = venue.machine.state.orders.find((order) => order.txHash === txHash) ?? {};
    if (word === 'Pending' || word === 'Failed' || books.external.has(txHash)) continue;
    judge.accuse('P2', `the foreign order ${txHash} (${word ?? '?'}) is not told of`);
  }
}

/** P3: what was proved to be absent is absent. */
function noneDenied({ judge, venue, sometimes }: Simulation): void {
  for (const { id, assumed } of judge.absent) {
    sometimes[assumed ? 'assumedGone' : 'neverExisted']++;
    const order = venue.ordersByNonce.get(judge.sends.get(id) ?? '');
    if (!order || assumed || order.minedAt === null || order.word === 'Failed') continue;
    judge.accuse('P3', `${id} was closed as never placed, but ${order.txHash} is ${order.word}`);
  }
}

/** P4: ledger and account agree to the last digit, or the difference was told and its symbol is frozen. */
function moneyAgrees(simulation: Simulation): void {
  const { venue, judge } = simulation;
  const books = booksOf(simulation);
  const holder = venue.key.userAddress;
  for (const asset of books.ledger.assets) {
    const read = (bucket: 'exchange' | 'locked') =>
      balanceOf(venue.machine.state.balances, { holder, bucket }, asset);
    const actual = read('exchange') + read('locked');
    const believed = books.ledger.total(asset);
    if (actual === believed) continue;
    const isTold = books.differences.some((difference) => difference.asset === asset);
    const isFrozen = asset === 'mUSD' || books.frozen.has(asset);
    const isOpen = [...books.live.values()].length > 0;
    if ((isTold && isFrozen && judge.isMoneyMoved) || isOpen) continue;
    if (isTold && isFrozen && judge.absent.some(({ assumed }) => assumed)) continue;
    judge.accuse(
      'P4',
      `${asset}: the ledger says ${formatDecimal(believed)}, the venue ${formatDecimal(actual)}`,
    );
  }
}

/** P7: every order has ended, or a person was told that it has not. */
function allEnded(simulation: Simulation): void {
  const { judge, alarms } = simulation;
  for (const { id, state } of booksOf(simulation).live.values())
    if (!alarms.some((text) => text.includes(`order ${id}`)))
      judge.accuse('P7', `${id} is still ${state.kind}, and nobody was told`);
}

function countTheSeen(simulation: Simulation): void {
  const { venue, sometimes } = simulation;
  const { orders, transactions, mappings } = venue.machine.state;
  const receipts = new Map(transactions.map(({ hash, receipt }) => [hash, receipt]));
  const sentAt = new Map(mappings.map(({ txHash, createdAt }) => [txHash, createdAt]));
  for (const { word, filled, quantity, changes, minedAt, txHash } of orders) {
    const revert = receipts.get(txHash)?.revert;
    if (revert?.includes('deadline')) sometimes.deadlineRevert++;
    if (revert?.includes('insufficient')) sometimes.insufficientRevert++;
    if (quantity !== null && filled > 0n && filled < quantity) sometimes.partialFill++;
    if (filled > 0n && changes.some(({ raw }) => raw === 'canceling')) sometimes.fillDuringCancel++;
    if (word !== 'Failed' && minedAt !== null && minedAt - (sentAt.get(txHash) ?? minedAt) > 15_000)
      sometimes.minedLate++;
  }
  for (const order of booksOf(simulation).orders.values())
    if (order.cancel.kind === 'unknown') sometimes.cancelLost++;
  sometimes.foundLater += simulation.alarms.filter((text) => text.includes('has turned up')).length;
}
