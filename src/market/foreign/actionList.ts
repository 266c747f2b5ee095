import { DAY_MS } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import type { StoredAction } from '../manifest.ts';

type Terms = Pick<StoredAction, 'exDate' | 'type' | 'oldRate' | 'newRate' | 'cashPerShare' | 'payableDate'>;

/** Action with its location, for messages. */
export type PlacedAction = Readonly<{ place: string; action: StoredAction }>;

/** Days within which two splits with the same rates are the same split with two dates. */
const SAME_SPLIT_DAYS = 7;

/**
 * Actions in list order, without duplicates.
 * @throws {ConfigError} showing both of two that contradict each other: one split with two dates or rates, or one
 * payment with two payable dates
 */
export function requireOneStory(all: readonly PlacedAction[]): StoredAction[] {
  const byTerms = new Map<string, PlacedAction>();
  for (const placed of all) {
    const before = byTerms.get(termsOf(placed.action));
    const [one, other] = [before?.action.payableDate, placed.action.payableDate];
    if (before && one !== undefined && other !== undefined && one !== other)
      throw contradiction(before, placed);
    if (!before || (one === undefined && other !== undefined)) byTerms.set(termsOf(placed.action), placed);
  }
  const once = [...byTerms.values()];
  const clash = splitClash(once, ({ action }) => action);
  if (clash) throw contradiction(...clash);
  return once.map(({ action }) => action);
}

/** First two splits that contradict each other: of one day, or of the same rates within a week; null for none. */
export function splitClash<Item>(
  items: readonly Item[],
  termsIn: (item: Item) => Terms,
): readonly [Item, Item] | null {
  const splits = items.filter((item) => termsIn(item).newRate !== null);
  for (const [index, first] of splits.entries())
    for (const second of splits.slice(index + 1)) {
      const [a, b] = [termsIn(first), termsIn(second)];
      const days = Math.abs(Date.parse(a.exDate) - Date.parse(b.exDate)) / DAY_MS;
      const isSame = Math.abs(ratioOf(a) / ratioOf(b) - 1) < SLACK;
      if (days === 0 ? !isSame : isSame && days <= SAME_SPLIT_DAYS) return [first, second];
    }
  return null;
}

const contradiction = (first: PlacedAction, second: PlacedAction): ConfigError =>
  new ConfigError(
    `${second.place}: ${actionText(second.action)} contradicts ${actionText(first.action)} of ${first.place}. ` +
      'They are one event: remove the wrong one',
  );

export const actionText = ({ exDate, type, oldRate, newRate, cashPerShare, payableDate }: Terms): string =>
  `${type.replace('_', ' ')} of ${exDate}, ${newRate === null ? `${cashPerShare} a share` : `${newRate} for ${oldRate}`}` +
  (payableDate === undefined ? '' : `, paid on ${payableDate}`);

/**
 * Actions of both lists by ex-date. Those in `first` replace all in `others` of the same day and type; within a list,
 * all with different terms are kept, such as a special dividend next to a regular one.
 */
export function joinedActions(
  first: readonly StoredAction[],
  others: readonly StoredAction[],
): StoredAction[] {
  const replaced = new Set(first.map(dayAndType));
  const kept = others.filter((action) => !replaced.has(dayAndType(action)));
  const byTerms = new Map([...kept, ...first].map((action) => [termsOf(action), action]));
  return [...byTerms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, action]) => action);
}

/** Relative difference allowed between amounts of one event in two sources that round them. */
const SLACK = 0.005;

/**
 * Stored actions plus those that a file of bars contains. An event that is already stored stays unchanged.
 * @throws {ConfigError} showing both, where the file contradicts a stored action
 */
export function withFound(stored: readonly StoredAction[], found: readonly PlacedAction[]): StoredAction[] {
  const fresh = found.filter(({ place, action }) => {
    const same = stored.filter((each) => each.exDate === action.exDate && isSplit(each) === isSplit(action));
    if (same.length === 0) return true;
    const near = (each: Terms, other: Terms) =>
      Math.abs(
        (isSplit(each)
          ? ratioOf(each) / ratioOf(other)
          : Number(each.cashPerShare) / Number(other.cashPerShare)) - 1,
      ) < SLACK;
    const sum = same.reduce((total, { cashPerShare }) => total + Number(cashPerShare ?? 0), 0);
    const isKnown =
      same.some((each) => near(each, action)) || near({ ...action, cashPerShare: String(sum) }, action);
    if (!isKnown)
      throw new ConfigError(
        `${place}: the file has a ${actionText(action)}; stored is a ${same.map(actionText).join(' and a ')} ` +
          `(${same.map(({ source }) => source.name).join(', ')}). They are one event: correct the wrong one`,
      );
    return false;
  });
  const known = stored.map((action) => ({ place: `stored from ${action.source.name}`, action }));
  return joinedActions(requireOneStory([...known, ...fresh]), []);
}

const isSplit = ({ newRate }: Terms): boolean => newRate !== null;
const ratioOf = ({ oldRate, newRate }: Terms): number => Number(newRate) / Number(oldRate);
const dayAndType = ({ exDate, type }: Terms): string => `${exDate} ${type}`;
const termsOf = (action: Terms): string =>
  [
    dayAndType(action),
    ...[action.oldRate, action.newRate, action.cashPerShare].map((text) =>
      text === null ? '' : Number(text),
    ),
  ].join(' ');
