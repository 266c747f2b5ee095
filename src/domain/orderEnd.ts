import type { OrderState } from './order.ts';

type Closed = Extract<OrderState, { kind: 'closed' }>;

/** What it has settled comes after the word that it has ended. */
export const isCompletion = (before: Closed, { how, settlement }: Closed): boolean =>
  how === before.how && before.settlement === null && settlement !== null;

/** Whether two reports tell of the same end. */
export function sameEnd(a: Closed, b: Closed): boolean {
  const [was, is] = [a.settlement, b.settlement];
  if (!was || !is) return a.how === b.how && was === is;
  const sameTx = was.txHash === null || is.txHash === null || was.txHash === is.txHash;
  return (
    a.how === b.how && was.pay === is.pay && was.receive === is.receive && was.price === is.price && sameTx
  );
}
