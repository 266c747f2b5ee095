import { toIso, type EpochMs } from '../../../core/brand.ts';
import { priceText, sharesText } from '../../../domain/amountText.ts';
import { describeSynthetic } from '../../../domain/describe.ts';
import type { JournalEvent } from '../../../domain/journalEvent.ts';
import type { SyntheticEvent, SyntheticOrder } from '../../../domain/orders/syntheticOrder.ts';

/** Plain text for an entry about an order that the bot holds; null for any other. */
export function heldOrderText(fact: JournalEvent): string | null {
  switch (fact.kind) {
    case 'syntheticPlaced':
      return placedText(fact.order);
    case 'syntheticMoved':
      return `${fact.id}: ${stepText(fact.event)}`;
    case 'syntheticEnded':
      return `${fact.id} has ended: ${fact.how}, ${fact.why}`;
    default:
      return null;
  }
}

function placedText(order: SyntheticOrder): string {
  const { id, strategyId, at, notBefore, expires, phases, tag } = order;
  const more = [
    ...(notBefore > at ? [`not before ${toIso(notBefore)}`] : []),
    ...timeText('expires', expires),
    ...(phases ? [`triggered by quotes of ${phases.join(', ')}`] : []),
    ...(tag === undefined ? [] : [`tag ${tag}`]),
  ];
  return [
    `${id} of ${strategyId}: ${describeSynthetic(order)}, held by the bot, not by the venue`,
    ...more,
  ].join('; ');
}

function stepText(event: SyntheticEvent): string {
  switch (event.kind) {
    case 'levels':
      return [pricesText(event), ...timeText('sells at', event.exitAt)]
        .filter((text) => text !== '')
        .join(', ');
    case 'adjusted':
      return ['moved by its strategy', pricesText(event)].filter((text) => text !== '').join(': ');
    case 'dividend':
      return `its stop was lowered by the dividend of ${priceText(event.amount)} a share`;
    case 'entered':
      return `its entry's stop was touched, price ${priceText(event.price)}`;
    case 'triggered': {
      const why = event.cause === 'time' ? 'its time is over' : 'its stop was touched';
      return `triggered, ${why}${event.price === null ? '' : `, price ${priceText(event.price)}`}`;
    }
    case 'volume':
      return `may trade ${sharesText(event.allowed)} shares in all, based on the volume until ${toIso(event.until)}`;
    case 'ending':
      return `is to end as ${event.how}: ${event.why}`;
  }
}

type Prices = Pick<
  Extract<SyntheticEvent, { kind: 'levels' }>,
  'stop' | 'takeProfit' | 'secondTakeProfit' | 'mark'
>;

function pricesText({ stop, takeProfit, secondTakeProfit, mark }: Prices): string {
  const prices = [
    ['stop', stop],
    ['take-profit', takeProfit],
    ['second take-profit', secondTakeProfit ?? null],
    ['highest price', mark],
  ] as const;
  return prices.flatMap(([name, at]) => (at === null ? [] : [`${name} ${priceText(at)}`])).join(', ');
}

const timeText = (name: string, at: EpochMs | null | undefined): string[] =>
  at === null || at === undefined ? [] : [`${name} ${toIso(at)}`];
