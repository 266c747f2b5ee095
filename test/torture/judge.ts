import { formatDecimal, parseDecimal } from '../../src/core/amount.ts';
import type { Truth } from '../../src/emulator/index.ts';
import { txHashOf, type Order, type OrderId } from '../../src/domain/order.ts';
import { markOf, type JournalSide, type Send } from './journalSide.ts';

type TrueOrder = Truth['orders'][number];

export type Finding = Readonly<{
  kind: 'duplicate' | 'lost' | 'difference' | 'unresolved';
  text: string;
  /** Ours, where one is concerned. */
  order?: string;
  /** As the venue has it. */
  truth?: TrueOrder;
}>;

const markOfTrue = (order: TrueOrder): string =>
  markOf(Math.round(Date.parse(order.deadline) / 1_000), {
    ...{ symbol: order.symbol, side: order.side.toLowerCase(), type: order.type.toLowerCase() },
    ...{ size: order.quantity ?? order.notional ?? '', price: order.price },
  });

export type Sides = Readonly<{ journal: JournalSide; truth: Truth; userAddress: string }>;

export const ordersOf = ({ truth, userAddress }: Omit<Sides, 'journal'>): TrueOrder[] =>
  truth.orders.filter((order) => order.userAddress === userAddress);

/** Whether the chain took it. */
const isReal = ({ status, minedAt }: TrueOrder): boolean => minedAt !== null && status !== 'Failed';

/** What must hold at every instant, whatever is under way: each order at the venue is one send of the journal. */
export function judgeSends(sides: Sides): Finding[] {
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

/** What must hold once all is over: the journal knows each order as what it is, and has the money that the venue has. */
export const judgeEnd = (sides: Sides): Finding[] => [
  ...judgeSends(sides),
  ...sentTwice(sides),
  ...beliefs(sides),
  ...money(sides),
  ...[...sides.journal.books.live.values()].map(({ id, state }): Finding => ({
    kind: 'unresolved',
    text: `${id} is still ${state.kind}`,
    order: id,
  })),
];

/** Orders of which neither side has anything more to tell: without an answer, and not at the venue. */
export function unproven(sides: Sides): OrderId[] {
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

function sentTwice({ journal }: Sides): Finding[] {
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

function money({ journal: { books }, truth, userAddress }: Sides): Finding[] {
  const account = truth.accounts.find((each) => each.userAddress === userAddress);
  if (!account) return [{ kind: 'difference', text: `the venue has no account ${userAddress}` }];
  const actual = new Map<string, bigint>([
    ['mUSD', parseDecimal(account.mUsd) + parseDecimal(account.mUsdLocked)],
    ...account.stocks.map(
      ({ symbol, exchange, locked }) => [symbol, parseDecimal(exchange) + parseDecimal(locked)] as const,
    ),
  ]);
  const assets = new Set<string>([...actual.keys(), ...books.ledger.assets]);
  const now = [...assets].flatMap((asset): Finding[] => {
    const [ledger, venue] = [books.ledger.total(asset as 'mUSD'), actual.get(asset) ?? 0n];
    if (ledger === venue) return [];
    const text = `${asset}: the ledger says ${formatDecimal(ledger)}, the venue has ${formatDecimal(venue)}`;
    return [{ kind: 'difference', text }];
  });
  const told = books.differences.map(({ asset, at, expected, actual: seen }): Finding => ({
    kind: 'difference',
    text: `${asset} at ${new Date(at).toISOString()}: told as ${formatDecimal(expected)}, seen as ${formatDecimal(seen)}`,
  }));
  return [...now, ...told];
}
