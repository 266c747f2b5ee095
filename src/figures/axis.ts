import type { Range } from './scale.ts';
import { everyNth } from './thinning.ts';

/** Labelled position along the width of a plot, in axis units. `minor` ticks are dropped if space is short. */
export type Tick = Readonly<{ at: number; label: string; minor?: boolean }>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const TICKS_MAX = 14;
/** Number of sessions below which days are labelled. */
const BY_MONTH_FROM = 50;
const DAY_TICKS = 8;
const DAY_MINUTES = 1_440;

export const MONTH_NAMES: readonly string[] = MONTHS;

/** Labels at the starts of months or years, on an axis with one unit per session; in a short run, of some days. */
export function sessionTicks(dates: readonly string[]): Tick[] {
  return dates.length < BY_MONTH_FROM ? dayTicks(dates) : monthTicks(dates);
}

/** Labels within a range of an axis of dates, `2026-03-09`, or of instants, `2026-03-09 14:30`. */
export function ticksWithin(labels: readonly string[], { from, to }: Range): Tick[] {
  const first = Math.max(0, Math.floor(from));
  const shown = labels.slice(first, Math.ceil(to));
  const ticks = (shown[0]?.length ?? 0) > 10 ? timeTicks(shown) : sessionTicks(shown);
  const placed = ticks.map((tick) => ({ ...tick, at: tick.at + first }));
  const inside = placed.filter(({ at }) => at >= from && at <= to);
  const isPart = shown.length < Math.min(BY_MONTH_FROM, labels.length);
  return inside.map((tick, index) =>
    isPart && index === 0
      ? { ...tick, label: `${shown[0]?.slice(0, 4) ?? ''} ${tick.label}`, minor: false }
      : tick,
  );
}

/** Labels within a range of an axis on which each instant has its own position. */
export function ticksAmong(times: readonly string[], places: readonly number[], { from, to }: Range): Tick[] {
  const first = Math.max(
    0,
    places.findIndex((place) => place >= from),
  );
  const count = places.slice(first).filter((place) => place <= to).length;
  return ticksWithin(times, { from: first, to: first + count }).map((tick) => ({
    ...tick,
    at: places[Math.floor(tick.at)] ?? NaN,
  }));
}

/** Labels of instants: days if there are several, otherwise the starts of days and round times between them. */
function timeTicks(times: readonly string[]): Tick[] {
  const days = beginnings(times, DAY_MINUTES);
  const isByDay = days.length > DAY_TICKS / 2;
  const places = isByDay ? everyNth(days, DAY_TICKS) : roundPlaces(times, days);
  return places.map((at, index) => {
    const time = times[at] ?? '';
    const label = days.includes(at) ? dayLabel(time) : time.slice(11);
    return { at: at + 0.5, label, minor: index % 2 === 1 };
  });
}

/** Lengths, in minutes, of the parts of a day whose starts can be labelled. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720];

/** Starts of days, and of parts long enough for all labels to fit; those hidden by a day's label are left out. */
function roundPlaces(times: readonly string[], days: readonly number[]): number[] {
  const parts =
    TIME_STEPS.map((step) => beginnings(times, step)).find(({ length }) => length <= DAY_TICKS) ?? days;
  const room = times.length / (2 * DAY_TICKS);
  const isFree = (at: number) => days.every((day) => day === at || Math.abs(day - at) >= room);
  return parts.filter(isFree);
}

/** Positions at which another part of a day begins. @param step length of the parts in minutes */
function beginnings(times: readonly string[], step: number): number[] {
  const partOf = (time: string) =>
    `${time.slice(0, 10)} ${Math.floor((Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16))) / step)}`;
  return times.flatMap((time, at) => (partOf(time) === partOf(times[at - 1] ?? '') ? [] : [at]));
}

function dayTicks(dates: readonly string[]): Tick[] {
  const step = Math.max(1, Math.ceil(dates.length / DAY_TICKS));
  return dates.flatMap((date, at) =>
    at % step === 0 ? [{ at: at + 0.5, label: dayLabel(date), minor: (at / step) % 2 === 1 }] : [],
  );
}

const dayLabel = (date: string): string => `${monthName(date)} ${Number(date.slice(8, 10))}`;

const monthName = (date: string): string => MONTHS[Number(date.slice(5, 7)) - 1] ?? '';

const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

function monthTicks(dates: readonly string[]): Tick[] {
  const months = monthNumber(dates.at(-1) ?? '') - monthNumber(dates[0] ?? '') + 1;
  const step = MONTH_STEPS.find((length) => months / length <= TICKS_MAX) ?? 240;
  const starts = dates.flatMap((date, at) => {
    const month = monthNumber(date);
    const begins = at > 0 && monthNumber(dates[at - 1] ?? '') !== month;
    return begins && month % step === 0 ? [{ at, month, date }] : [];
  });
  return starts.map(({ at, month, date }, index) => ({
    at,
    label: month % 12 === 0 || step >= 12 ? date.slice(0, 4) : monthName(date),
    minor:
      step < 12 && starts.length > 5
        ? month % 12 !== 0 && (month / step) % 2 !== 0
        : index % 2 === 1 && starts.length > 6,
  }));
}
