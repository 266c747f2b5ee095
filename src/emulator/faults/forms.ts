import { chanceOf } from '../../core/random.ts';
import type { MessageRule } from './rules.ts';

type Form = Extract<MessageRule, { kind: 'form' }>;
/** The value in that form; the same for one that has none. Undefined takes it out. */
type Reword = (name: string, value: unknown, chance: () => number) => unknown;

const OF_ORDERS = [
  ...(['placeNotional', 'placeQuantity', 'placePrice', 'pay'] as const),
  ...(['settlePrice', 'settlePay', 'settleReceive', 'mintFee', 'protocolFee'] as const),
];
const AMOUNTS: ReadonlySet<string> = new Set([
  ...OF_ORDERS,
  ...['mUsdBalance', 'walletBalance', 'exchangeBalance', 'walletAllowance'],
]);
const OPTIONAL: ReadonlySet<string> = new Set([
  ...OF_ORDERS,
  ...['createTime', 'settleTxHash', 'operationId', 'walletAllowance'],
]);
/** Decimal places of an amount that is told with all of them. */
const PLACES = 18;

/** The text with zeros at its end. */
function padded(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(PLACES, '0')}`;
}

const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);

const rewords: Record<Form['how'], Reword> = {
  'upper-case': (_, value) => (isHex(value) ? `0x${value.slice(2).toUpperCase()}` : value),
  bare: (name, value) => (name === 'orderId' && isHex(value) ? value.slice(2) : value),
  milliseconds: (name, value) => (name === 'createTime' ? Number(value) * 1_000 : value),
  untold: (name, value, chance) => (OPTIONAL.has(name) ? (chance() < 0.5 ? null : undefined) : value),
  'link-only': (name, value) => (name === 'openOrder' || name === 'historyOrder' ? null : value),
  numeric: (name, value) => (AMOUNTS.has(name) && typeof value === 'string' ? Number(value) : value),
  padded: (name, value) => (AMOUNTS.has(name) && typeof value === 'string' ? padded(value) : value),
  garbled: (name, value) => (AMOUNTS.has(name) ? 'some' : value),
};

/** The answer with `share` of what can be worded otherwise worded so. A body that is no JSON stays as it is. */
export function reworded(body: string, { how, share }: Form, seed: string): string {
  let count = 0;
  const chance = () => chanceOf(`${seed} form ${count++}`);
  try {
    return JSON.stringify(
      JSON.parse(body, (name, value: unknown) =>
        chance() < share ? rewords[how](name, value, chance) : value,
      ),
    );
  } catch {
    return body;
  }
}
