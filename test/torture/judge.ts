import { formatDecimal, parseDecimal } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { Asset } from '../../src/domain/account/ledger.ts';
import { assetOf, txHashOf, type Order, type OrderId } from '../../src/domain/orders/order.ts';
import { isDenied, isHalted, isLiedAbout, isMoving, type Lies } from '../simulation/allowances.ts';
import type { Send } from './journalSide.ts';
import { isReal, markOfTrue, ordersOf, type TrueOrder, type TrueSides } from './sides.ts';

export type Finding = Readonly<{
  kind:
    | 'duplicate'
    | 'lost'
    | 'difference'
    | 'exceeded'
    | 'unresolved'
    | 'steering'
    | 'held'
    | 'heldUp'
    | 'notification';
  text: string;
  /** Our order, where one is concerned. */
  order?: string;
  /** The venue's order. */
  truth?: TrueOrder;
}>;

/**
 * Basis of the final verdict. Whatever venue or node made false statements about may stay open, frozen or different,
 * but never unreported.
 */
export type Sides = TrueSides & Readonly<{ lies: Lies }>;

/** Checks what must hold at every instant: each order at the venue is one send of the journal. */
export function judgeSends(sides: TrueSides): Finding[] {
  const taken = new Map<Send, TrueOrder>();
  return ordersOf(sides).flatMap((truth): Finding[] => {
    const sends = sides.journal.sends.get(markOfTrue(truth)) ?? [];
    const send = sends.find((each) => !taken.has(each));
    if (send) {
      taken.set(send, truth);
      return [];
    }
    const [twice] = sends;
    if (!twice)
      return [{ kind: 'lost', text: `the journal has no send of the order ${truth.txHash}`, truth }];
    const other = taken.get(twice)?.txHash ?? '?';
    const text = `${twice.id} was accepted twice: ${other} and ${truth.txHash}`;
    return [{ kind: 'duplicate', text, order: twice.id, truth }];
  });
}

/** Checks what must hold at the end: the journal knows each order as what it is, and has the venue's money. */
export const judgeEnd = (sides: Sides): Finding[] => [
  ...judgeSends(sides),
  ...sentTwice(sides),
  ...beliefs(sides),
  ...money(sides),
  ...[...sides.journal.books.live.values()]
    .filter((order) => !isExcused(order, sides))
    .map(({ id, state }): Finding => ({
      kind: 'unresolved',
      text: `${id} is still ${state.kind}`,
      order: id,
    })),
];

/** True when an order stays open because of false statements about its amounts, and an alarm was raised. */
export const isExcused = (order: Order, { lies }: Pick<Sides, 'lies'>): boolean =>
  (isLiedAbout(lies, assetOf(order)) || isLiedAbout(lies, order.terms.symbol)) && lies.isTold(order.id);

/** Orders that neither side can resolve: unknown in the journal, and not at the venue. */
export function unproven(sides: TrueSides): OrderId[] {
  const { books, sends } = sides.journal;
  const real = new Set(
    ordersOf(sides)
      .filter(isReal)
      .flatMap((truth) => sends.get(markOfTrue(truth)) ?? [])
      .map(({ id }) => id),
  );
  return [...books.live.values()]
    .filter(({ id, state }) => (state.kind === 'unknown' || state.kind === 'acknowledged') && !real.has(id))
    .map(({ id }) => id);
}

function sentTwice({ journal }: TrueSides): Finding[] {
  const seen = new Set<string>();
  return [...journal.sends.values()].flat().flatMap(({ id }): Finding[] => {
    if (seen.has(id)) return [{ kind: 'duplicate', text: `${id} was sent twice`, order: id }];
    seen.add(id);
    return [];
  });
}

function beliefs(sides: Sides): Finding[] {
  const { books, sends } = sides.journal;
  return ordersOf(sides)
    .filter(isReal)
    .flatMap((truth): Finding[] => {
      const id = sends.get(markOfTrue(truth))?.[0]?.id;
      if (id === undefined) return [];
      const order = books.order(id);
      if (isDenied(sides.lies, order)) return [];
      if (txHashOf(order) !== truth.txHash) {
        const text = `${truth.txHash} (${truth.status}) is ${id}, which the journal has as ${order.state.kind}`;
        return [{ kind: 'lost', text, order: id, truth }];
      }
      const wrong = wrongEnd(order, truth);
      return wrong === null ? [] : [{ kind: 'difference', text: `${id}: ${wrong}`, order: id, truth }];
    });
}

function wrongEnd({ state }: Order, truth: TrueOrder): string | null {
  if (state.kind === 'acknowledged' || state.kind === 'working') return null;
  if (state.kind !== 'closed') return `the venue has it as ${truth.status}, the journal as ${state.kind}`;
  const ours = [state.settlement?.pay ?? 0n, state.settlement?.receive ?? 0n].map(formatDecimal);
  const theirs = [truth.settlePay, truth.settleReceive].map((text) => text ?? '0');
  return String(ours) === String(theirs)
    ? null
    : `it paid and received ${theirs.join(', ')}; the journal says ${ours.join(', ')}`;
}

function money({ journal: { books }, truth, userAddress, lies }: Sides): Finding[] {
  const account = truth.accounts.find((each) => each.userAddress === userAddress);
  if (!account) return [{ kind: 'difference', text: `the venue has no account ${userAddress}` }];
  const actual = new Map<Asset, bigint>([
    ['mUSD', parseDecimal(account.mUsd) + parseDecimal(account.mUsdLocked)],
    ...account.stocks.map(
      ({ symbol, exchange, locked }) =>
        [ticker(symbol), parseDecimal(exchange) + parseDecimal(locked)] as const,
    ),
  ]);
  const assets = new Set<Asset>([...actual.keys(), ...(books.ledger.assets as Iterable<Asset>)]);
  const now = [...assets].flatMap((asset): Finding[] => {
    const [ledger, venue] = [books.ledger.total(asset), actual.get(asset) ?? 0n];
    const isTold = isMoving(books, asset) || isHalted(books, asset);
    if (ledger === venue || (isLiedAbout(lies, asset) && isTold)) return [];
    const text = `${asset}: the ledger says ${formatDecimal(ledger)}, the venue has ${formatDecimal(venue)}`;
    return [{ kind: 'difference', text }];
  });
  const unexplained = books.differences.filter(({ asset }) => !isLiedAbout(lies, asset));
  const told = unexplained.map(({ asset, at, expected, actual: seen }): Finding => ({
    kind: 'difference',
    text: `${asset} at ${new Date(at).toISOString()}: told as ${formatDecimal(expected)}, seen as ${formatDecimal(seen)}`,
  }));
  return [...now, ...told];
}
