/** A place along the width of a plot, in the units of its width. `minor` ones go where there is little room. */
export type Tick = Readonly<{ at: number; label: string; minor?: boolean }>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const TICKS_MAX = 14;
/** Fewer sessions than this are told apart by their days. */
const BY_MONTH_FROM = 50;

/** Where months or years begin on an axis with one unit for each session; of a short run, some of its days. */
export function sessionTicks(dates: readonly string[]): Tick[] {
  return dates.length < BY_MONTH_FROM ? dayTicks(dates) : monthTicks(dates);
}

function dayTicks(dates: readonly string[]): Tick[] {
  const step = Math.max(1, Math.ceil(dates.length / 8));
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

export const MONTH_NAMES: readonly string[] = MONTHS;
