import { edited } from './edit.ts';
import type { MessageRule } from './rules.ts';

type Row = Record<string, unknown>;
type Listing = Extract<MessageRule, { kind: 'false-listing' }>;
type Nested = Extract<MessageRule, { kind: 'nested' }>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The answer with one stock listed falsely. A body without rows of stocks stays as it is. */
export function falselyListed(body: string, { symbol, as, decimals, onChainDecimals }: Listing): string {
  const envelope: unknown = JSON.parse(body);
  const rows = isRow(envelope) && Array.isArray(envelope['data']) ? envelope['data'].filter(isRow) : [];
  const other = rows.find((row) => row['symbol'] === as)?.['contractAddress'];
  for (const row of rows) {
    if (row['symbol'] !== symbol || row['contractAddress'] === undefined) continue;
    if (other !== undefined) row['contractAddress'] = other;
    if (decimals !== undefined) row['decimals'] = decimals;
    if (onChainDecimals !== undefined) row['onChainDecimals'] = onChainDecimals;
  }
  return JSON.stringify(envelope);
}

/** Stands where the arrays go. Their text is put in last: no parser or printer takes so many of them. */
const PLACE = 'the nested arrays';

export function nested(body: string, { path, depth }: Nested): string {
  const marked = edited(body, { path, value: PLACE });
  return marked.replace(`"${PLACE}"`, () => '['.repeat(depth) + ']'.repeat(depth));
}
