import type { EntryView } from '../../connection/connection.ts';
import { entryText } from '../../parts/entryText.ts';

/** Kinds of entries that a list is mostly narrowed to, by their stored names; an address may name others. */
export const KINDS: readonly string[] = (
  'wished wishMoved wishEnded planned order told syntheticPlaced syntheticMoved syntheticEnded ' +
  'operator restricted restrictionLifted alarm logged session split strategyStarted ' +
  'strategyStopped strategyState operation operationPlanned adopted epoch ended quotes bar'
).split(' ');

/** Most characters of a gist. */
const LONGEST = 240;

/** Content of an entry on one line: in words where there are some, else its fields without those that have columns of their own. */
export function gistOf(entry: EntryView): string {
  const { seq: _seq, at: _at, kind, ...content } = entry;
  const said = entryText(entry);
  if (said !== kind && typeof entry['id'] === 'string') return `${entry['id']}: ${said}`;
  const text = Object.entries(content)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
