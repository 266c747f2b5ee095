import { newYorkDate } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import type { BarStore } from '../../../market/barStore.ts';
import { JUDGED } from '../../../market/inspectBars.ts';
import type { AcceptedFinding } from '../../../market/manifest.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { tickersOf, withStore, type DataFlags } from '../../../app/data/storedBars.ts';
import { iso, printResult } from '../../../process/output.ts';
import { acceptedJson, findingsOf } from './inspect.ts';

type AcceptFlags = DataFlags &
  Readonly<{ symbol: string; finding?: readonly string[]; reason?: string; undo?: boolean }>;

/** `drover data accept`: records that findings of `data verify` are genuine, with the reason; `--undo` reverts that. */
export async function dataAccept(flags: AcceptFlags, context: CommandContext): Promise<number> {
  const { finding: named = [], reason = '', undo = false } = flags;
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol || named.length === 0)
    throw new ConfigError(
      'which finding? Name it as `drover data verify` does, or by its date: --finding ID',
    );
  if (undo ? reason !== '' : reason.trim() === '')
    throw new ConfigError(
      undo
        ? 'leave out --reason: --undo takes none'
        : 'why are the prices right? Give a reason: --reason TEXT',
    );
  return withStore(flags, context, (store) => {
    const known = store.accepted(symbol);
    const chosen = undo
      ? named.flatMap((name) => chosenBy(name, known, { symbol, where: 'accepted' }))
      : named.flatMap((name) =>
          chosenBy(name, openFindings(symbol, store, context), { symbol, where: 'open' }),
        );
    const ids = new Set(chosen.map(({ id }) => id));
    const others = known.filter(({ id }) => !ids.has(id));
    const at = context.clock.now();
    const fresh = undo ? [] : chosen.map((one) => ({ ...one, reason: reason.trim(), acceptedAt: at }));
    const accepted = [...others, ...new Map(fresh.map((one) => [one.id, one])).values()].sort(
      (a, b) => a.at - b.at,
    );
    store.writeAccepted(symbol, accepted);
    const lines = chosen.map(
      (one) => `${symbol} ${iso(one.at)}: ${one.what}: ${undo ? 'open again' : 'accepted'}`,
    );
    return printResult(
      context,
      { symbol, accepted: accepted.map(acceptedJson) },
      [...new Set(lines)].join('\n'),
    );
  });
}

type Nameable = Pick<AcceptedFinding, 'id' | 'kind' | 'at' | 'what'>;

/** Findings of a symbol that may be genuine, over all its bar lengths. @throws {ConfigError} if there are no bars */
function openFindings(symbol: Ticker, store: BarStore, context: CommandContext): Nameable[] {
  const calendar = givenCalendar(context);
  const names = store.names().filter((name) => name.symbol === symbol);
  if (names.length === 0)
    throw new ConfigError(
      `there are no bars of ${symbol} in ${store.folder}; \`drover data list\` shows what there is`,
    );
  return names
    .flatMap((name) => findingsOf(name, store, calendar))
    .flatMap(({ id, kind, at, what }) =>
      id === null || at === null ? [] : [{ id, kind, at: Date.parse(at), what }],
    );
}

/** Findings with an id or a date. @throws {ConfigError} naming the existing ones */
function chosenBy(
  name: string,
  all: readonly Nameable[],
  { symbol, where }: Readonly<{ symbol: Ticker; where: string }>,
): Nameable[] {
  const dateOf = ({ at }: Nameable) => newYorkDate(epochMs(at));
  const found = all.filter((one) => one.id === name || dateOf(one) === name);
  const wrong = found.find(({ kind }) => !JUDGED.has(kind));
  if (wrong)
    throw new ConfigError(
      `--finding ${name}: ${wrong.what}. No reason can justify that: \`drover data verify ${symbol}\` says what to do`,
    );
  if (found.length > 0) return found.map(({ id, kind, at, what }) => ({ id, kind, at, what }));
  const there = [...new Set(all.map((one) => `${one.id} (${one.kind} of ${dateOf(one)})`))].join(', ');
  throw new ConfigError(`--finding "${name}": ${where} of ${symbol} are ${there || 'no findings'}`);
}
