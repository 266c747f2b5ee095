import { epochMs, toIso } from '../../core/brand.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { ticker, type Ticker } from '../../domain/instrument.ts';
import type { SetName } from '../../market/barStore.ts';
import type { Part } from '../../market/manifest.ts';
import type { Difference, Span } from '../../market/mergeBars.ts';
import { instantOf, requireSpan } from '../config/fields.ts';
import type { Terminal } from '../context.ts';

export const iso = (at: number): string => toIso(epochMs(at));

/** @throws {ConfigError} naming the one that is no symbol */
export const tickersOf = (names: readonly string[] = []): Ticker[] =>
  names.map((name) => {
    try {
      return ticker(name.toUpperCase());
    } catch (error) {
      throw new ConfigError(messageOf(error));
    }
  });

/** Span of `--from` and `--to`; `to` is exclusive. */
export function spanIn({ from, to }: Readonly<{ from?: string; to?: string }>, whole: Span): Span {
  const span = {
    from: from === undefined ? whole.from : instantOf('from', from),
    to: to === undefined ? whole.to : instantOf('to', to),
  };
  requireSpan(span);
  return span;
}

/** Each source once. */
export const sourcesOf = (parts: readonly Part[]): string =>
  [...new Set(parts.map(({ source }) => `${source.kind} ${source.name}`))].join(', ');

const SHOWN = 5;

/** Prints the bars in which two sources differ. */
export function reportDifferences(
  { symbol, interval }: SetName,
  differences: readonly Difference[],
  { terminal, kept }: Readonly<{ terminal: Terminal; kept: boolean }>,
): void {
  for (const { start, stored, found } of differences.slice(0, SHOWN))
    terminal.err(`${symbol} ${interval} ${iso(start)}: stored ${stored.join(' ')}, found ${found.join(' ')}`);
  if (differences.length === 0) return;
  const more = differences.length > SHOWN ? `, ${SHOWN} of them shown` : '';
  const what = kept ? 'the stored ones stay; --overwrite takes the found ones' : 'the found ones were taken';
  terminal.err(
    `${symbol} ${interval}: ${differences.length} bars differ from what is stored${more}; ${what}`,
  );
}

/** JSON form of a difference. */
export const differenceJson = ({ start, stored, found }: Difference) => ({ at: iso(start), stored, found });
