import { newYorkDate } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { DataError } from '../../../core/errors.ts';
import type { BarStore, SetName } from '../../../market/barStore.ts';
import type { Manifest } from '../../../market/manifest.ts';
import type { CommandContext } from '../../context.ts';
import { storeOf, type DataFlags } from '../../data/storedBars.ts';
import { iso, sourcesOf } from '../../data/words.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson, table } from '../../output.ts';

/** `drover data list`: what is stored. Exit 1 when the `.json` of a set is damaged; the others are listed all the same. */
export function dataList(flags: DataFlags, context: CommandContext): Promise<number> {
  const store = storeOf(flags, context);
  const { terminal, json } = context;
  const damaged: DataError[] = [];
  const manifests = store.names().flatMap((name) => manifestOf(store, name, damaged));
  for (const { message } of damaged) terminal.err(`drover: ${message}`);
  if (json) terminal.out(toJson(manifests.map((manifest) => jsonOf(store, manifest))));
  else terminal.out(textOf(store, manifests));
  return Promise.resolve(damaged.length > 0 ? EXIT.failed : EXIT.done);
}

function manifestOf(store: BarStore, name: SetName, damaged: DataError[]): Manifest[] {
  try {
    const manifest = store.manifest(name);
    return manifest ? [manifest] : [];
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    damaged.push(error);
    return [];
  }
}

function jsonOf({ folder }: BarStore, { parts, factors, first, last, ...rest }: Manifest) {
  const { symbol, interval, bars, hash, prices } = rest;
  return {
    symbol,
    interval,
    bars,
    first: iso(first),
    last: iso(last),
    hash,
    prices,
    folder,
    parts: parts.map(({ source, fetchedAt, from, to }) => ({
      source,
      fetchedAt: iso(fetchedAt),
      from: iso(from),
      to: iso(to),
    })),
    factors: factors && {
      fetchedAt: iso(factors.fetchedAt),
      steps: factors.steps.map(({ from, factor }) => ({ from: iso(from), factor })),
    },
  };
}

function textOf({ folder }: BarStore, manifests: readonly Manifest[]): string {
  if (manifests.length === 0)
    return `nothing in ${folder}. \`drover data pull AAPL --from 2024-01-01\` gets bars, \`data import\` and \`data generate\` too`;
  const rows = manifests.map(({ symbol, interval, bars, first, last, parts }) => {
    const fetched = Math.max(...parts.map(({ fetchedAt }) => fetchedAt));
    return [symbol, interval, String(bars), dateOf(first), dateOf(last), dateOf(fetched), sourcesOf(parts)];
  });
  return `${folder}\n${table(['symbol', 'length', 'bars', 'first', 'last', 'fetched', 'from'], rows, ['bars'])}`;
}

const dateOf = (at: number): string => newYorkDate(epochMs(at));
