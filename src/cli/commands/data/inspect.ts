import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { DAY_MS, epochMs } from '../../../core/brand.ts';
import { counted } from '../../../core/counted.ts';
import { ConfigError, DataError, orAt } from '../../../core/errors.ts';
import { lengthText, setText, type BarStore, type SetName } from '../../../market/barStore.ts';
import { findingId, inspectBars, JUDGED, type Finding } from '../../../market/inspectBars.ts';
import { intervalOf } from '../../../app/backtest/barFiles.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  hoursOfSet,
  manifestJson,
  storeOf,
  type DataFlags,
  tickersOf,
  sourcesOf,
} from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { iso, printResult, table } from '../../../process/output.ts';
import type { AcceptedFinding, Manifest } from '../../../market/manifest.ts';

type VerifyFlags = DataFlags & Readonly<{ symbols?: readonly string[]; interval?: string }>;

/** Problem of a set. `at` and `id` are null when the set as a whole is damaged. */
type VerifiedSet = SetName &
  Readonly<{
    id: string | null;
    severity: Finding['severity'];
    kind: Finding['kind'] | 'damaged';
    at: string | null;
    what: string;
    remedy: string;
    /** Reason why it is genuine, and when that was recorded; null for an open one. */
    accepted: Readonly<{ reason: string; at: string }> | null;
  }>;

const SHOWN = 20;

/** `drover data verify`: exit 1 if there is an error, or nothing to check; warnings alone exit with 0. */
export function dataVerify(flags: VerifyFlags, context: CommandContext): number {
  const store = storeOf(flags, context);
  const { json } = context;
  const names = namesOf(flags, store);
  const calendar = givenCalendar(context);
  const findings = names.flatMap((name) => findingsOf(name, store, calendar));
  const open = findings.filter(({ accepted }) => accepted === null);
  const errors = open.filter(({ severity }) => severity === 'error').length;
  const accepted = findings.length - open.length;
  const counts = { sets: names.length, errors, warnings: open.length - errors, accepted };
  if (!json) for (const name of names) showSet(name, findings, context);
  const text =
    names.length > 0
      ? `${counted(counts.sets, 'set')}: ${counted(errors, 'error')}, ${counted(counts.warnings, 'warning')}${accepted > 0 ? `, ${accepted} accepted` : ''}`
      : `nothing was checked: there are no such bars in ${store.folder}; \`drover data list\` shows what there is`;
  printResult(context, { ...counts, findings }, text);
  return errors > 0 || names.length === 0 ? EXIT.failed : EXIT.done;
}

function namesOf({ symbols, interval }: VerifyFlags, store: BarStore): SetName[] {
  const named = tickersOf(symbols);
  const length = interval === undefined ? undefined : intervalOf(interval);
  const all = store.names().filter((name) => length === undefined || name.interval === length);
  const missing = named.find((symbol) => all.every((name) => name.symbol !== symbol));
  if (missing !== undefined)
    throw new ConfigError(
      `there are no bars of ${missing} in ${store.folder}; \`drover data list\` shows what there is`,
    );
  return named.length === 0 ? all : all.filter(({ symbol }) => named.includes(symbol));
}

/** Findings of a set, including accepted ones. */
export function findingsOf(name: SetName, store: BarStore, calendar: TradingCalendar): VerifiedSet[] {
  const damaged = (what: string): VerifiedSet[] => [
    {
      ...name,
      id: null,
      severity: 'error',
      kind: 'damaged',
      at: null,
      what,
      remedy: 'remove it, and get the data again',
      accepted: null,
    },
  ];
  try {
    const bars = store.read(name);
    if (!bars) return damaged('it has disappeared');
    const actions = store.actions(name.symbol)?.actions ?? null;
    const hours = hoursOfSet(name, calendar);
    const found = inspectBars(bars.columns, { interval: name.interval, calendar: hours, actions });
    const isVenue = bars.parts.every(({ source }) => source.kind === 'venue' || source.kind === 'emulator');
    const accepted = new Map(store.accepted(name.symbol).map((one) => [one.id, one]));
    return found.map((finding) => {
      const id = findingId(finding);
      const answer = accepted.get(id);
      return {
        ...name,
        id,
        ...finding,
        at: iso(finding.at),
        remedy: remedyOf(name, finding, isVenue),
        accepted: answer ? { reason: answer.reason, at: iso(answer.acceptedAt) } : null,
      };
    });
  } catch (error) {
    if (error instanceof DataError) return damaged(error.message);
    throw error;
  }
}

/** Remedy for a problem. */
function remedyOf({ symbol, interval, outside }: SetName, { remedy, at }: Finding, isVenue: boolean): string {
  const from = newYorkDate(epochMs(at));
  const to = newYorkDate(epochMs(at + DAY_MS));
  if (remedy === 'look') return 'compare it with another source; it may be right';
  if (remedy === 'action')
    return `compare it with another source. A missing split is stored by \`drover data pull ${symbol} --interval ${interval}\` or \`drover data import FILE --actions --symbol ${symbol}\``;
  return isVenue
    ? `\`drover data pull ${symbol} --interval ${interval} --from ${from} --to ${to} --refetch --overwrite\``
    : `correct the file, then: \`drover data import FILE --symbol ${symbol} --interval ${interval}${outside ? ' --sessions all' : ''} --overwrite\``;
}

function showSet(name: SetName, all: readonly VerifiedSet[], { terminal }: CommandContext): void {
  const { symbol } = name;
  const own = all
    .filter((one) => setText(one) === setText(name))
    .sort((a, b) => Number(a.accepted !== null) - Number(b.accepted !== null));
  for (const { id, kind, severity, at, what, remedy, accepted } of own.slice(0, SHOWN)) {
    const isJudged = id !== null && JUDGED.has(kind);
    const accept = isJudged
      ? `. If it is right: \`drover data accept ${symbol} --finding ${id} --reason TEXT\``
      : '';
    terminal.out(
      `${accepted ? 'accepted' : severity}  ${setText(name)}${at === null ? '' : ` ${at}`}: ${what}\n         ` +
        (accepted
          ? `"${accepted.reason}", ${accepted.at}; to undo: \`drover data accept ${symbol} --finding ${id ?? ''} --undo\``
          : `${remedy}${accept}`),
    );
  }
  if (own.length > SHOWN)
    terminal.out(`         and ${own.length - SHOWN} more of ${setText(name)}; --json lists all`);
}

/** `drover data list`: lists stored sets. Exit 1 if the `.json` of one is damaged; the others are still listed. */
export function dataList(flags: DataFlags, context: CommandContext): number {
  const store = storeOf(flags, context);
  const damaged: DataError[] = [];
  const listed = store.names().flatMap((name) => listedOf(store, name, damaged));
  for (const { message } of damaged) context.terminal.err(`drover: ${message}`);
  printResult(
    context,
    listed.map((one) => jsonOf(store, one)),
    textOf(store, listed),
  );
  return damaged.length > 0 ? EXIT.failed : EXIT.done;
}

type ListedSet = Readonly<{ manifest: Manifest; accepted: readonly AcceptedFinding[] }>;

function listedOf(store: BarStore, name: SetName, damaged: DataError[]): ListedSet[] {
  const listed = () => {
    const manifest = store.manifest(name);
    return manifest ? [{ manifest, accepted: store.accepted(name.symbol) }] : [];
  };
  return orAt(DataError, listed, (error) => {
    damaged.push(error);
    return [];
  });
}

/** JSON form of an accepted finding. */
export const acceptedJson = ({ id, kind, at, what, reason, acceptedAt }: AcceptedFinding) => ({
  id,
  kind,
  at: iso(at),
  what,
  reason,
  acceptedAt: iso(acceptedAt),
});

const jsonOf = ({ folder }: BarStore, { manifest, accepted }: ListedSet) => ({
  ...manifestJson(manifest),
  prices: manifest.prices,
  folder,
  parts: manifest.parts.map(({ source, fetchedAt, from, to }) => ({
    source,
    fetchedAt: iso(fetchedAt),
    from: iso(from),
    to: iso(to),
  })),
  factors: manifest.factors && {
    fetchedAt: iso(manifest.factors.fetchedAt),
    steps: manifest.factors.steps.map(({ from, factor }) => ({ from: iso(from), factor })),
  },
  accepted: accepted.map(acceptedJson),
});

function textOf({ folder }: BarStore, listed: readonly ListedSet[]): string {
  if (listed.length === 0)
    return `nothing in ${folder}. \`drover data pull AAPL --from 2024-01-01\` gets bars, \`data import\` and \`data generate\` too`;
  const rows = listed.map(({ manifest }) => {
    const { symbol, bars, first, last, parts } = manifest;
    const fetched = Math.max(...parts.map(({ fetchedAt }) => fetchedAt));
    const length = lengthText(manifest);
    return [symbol, length, String(bars), dateOf(first), dateOf(last), dateOf(fetched), sourcesOf(parts)];
  });
  const accepted = new Map(listed.map((one) => [one.manifest.symbol, one.accepted]));
  const answers = [...accepted].flatMap(([symbol, all]) =>
    all.map(
      ({ kind, at, reason, acceptedAt }) =>
        `\n${symbol}: ${kind} of ${dateOf(at)} accepted ${dateOf(acceptedAt)}, "${reason}"`,
    ),
  );
  return `${folder}\n${table(['symbol', 'length', 'bars', 'first', 'last', 'fetched', 'from'], rows, ['bars'])}${answers.join('')}`;
}

const dateOf = (at: number): string => newYorkDate(epochMs(at));
