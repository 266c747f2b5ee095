import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { HeldOrderView, Status } from '../../../ops/model/status.ts';
import {
  clockText,
  line,
  money,
  price,
  shares,
  tableOf,
  wrapped,
  type Line,
  type Tone,
} from './screenText.ts';

const TONES: Readonly<Partial<Record<HeldOrderView['state'], Tone>>> = {
  suspended: 'bad',
  triggered: 'warning',
  cancelling: 'warning',
  working: 'warning',
};

/** Screen section with the orders that the bot holds, their effective prices, and special states. */
export function heldOrdersSection(status: Status, width: number): Line[] {
  const { heldOrders } = status;
  if (heldOrders.length === 0) return [];
  const rows = heldOrders.map((one) => [
    one.id,
    one.state,
    price(one.stop),
    awayText(one),
    [one.takeProfit, ...(one.secondTakeProfit === null ? [] : [one.secondTakeProfit])].map(price).join(', '),
    shortAmounts(one.text),
  ]);
  const head = [`held orders: ${heldOrders.length}`, 'state', 'stop', 'away', 'take profit', ''];
  const sides = ['left', 'left', 'right', 'right', 'right', 'left'] as const;
  const [first, ...table] = tableOf({ head, rows, sides }, heldOrders.map(toneOf));
  const details = heldOrders.map((one) => detailLines(one, status, width));
  const note = wrapped(holderText(status), width).map((text) =>
    line(text, status.running ? 'quiet' : 'warning'),
  );
  return [...(first ? [first] : []), ...table.flatMap((row, at) => [row, ...(details[at] ?? [])]), ...note];
}

const toneOf = ({ state }: HeldOrderView): Tone => TONES[state] ?? 'plain';

/** Explains who holds these orders, which no list of the venue shows. */
const holderText = ({ running }: Pick<Status, 'running'>): string =>
  running
    ? 'This bot holds them, not the venue: they work only while this run does.'
    : 'The bot held them, not the venue: nobody watches them until the next run.';

const awayText = ({ stopDistancePercent: away }: HeldOrderView): string =>
  away === null ? '–' : `${away > 0 ? '+' : ''}${away.toFixed(2)} %`;

function detailLines(one: HeldOrderView, { now }: Status, width: number): Line[] {
  const parts = [
    ...(one.state === 'armed' && one.children.length === 0 ? [] : [shortAmounts(one.stateText)]),
    ...(one.filled === '0' && one.kind !== 'work' ? [] : [filledText(one)]),
    ...(one.mark === null ? [] : [`highest price ${price(one.mark)}`]),
    ...(one.notBefore === null ? [] : [`not before ${clockText(one.notBefore, now)}`]),
    ...(one.expires === null ? [] : [`expires ${clockText(one.expires, now)}`]),
    ...(one.until === null ? [] : [`until ${clockText(one.until, now)}`]),
    ...(one.exitAt === null ? [] : [`sells at ${clockText(one.exitAt, now)}`]),
    ...(one.tag === null ? [] : [`tag ${one.tag}`]),
  ];
  return parts.length === 0
    ? []
    : wrapped(parts.join('; '), width - 2).map((text) => line(`  ${text}`, toneOf(one)));
}

function filledText({ filled, asked, filledNotional, askedNotional }: HeldOrderView): string {
  if (askedNotional !== null && asked === null)
    return `filled ${money(filledNotional)} of ${money(askedNotional)} mUSD`;
  return `filled ${shares(filled)}${asked === null ? '' : ` of ${shares(asked)}`}`;
}
