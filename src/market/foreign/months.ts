/** Languages in which exporters write months and weekdays. */
const LANGUAGES = 'en de fr es it pt pl nl cs sk sv da nb fi tr ru uk hu ro el'.split(' ');
const MONTHS = 12;
const FIRST_SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;

const plain = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .replace(/\.$/, '');

type Names = Readonly<{ months: ReadonlyMap<string, number>; weekdays: ReadonlySet<string> }>;

let names: Names | null = null;

/** Month, from 1, of its name or abbreviation in any of the languages; null for another word. */
export function monthNamed(word: string): number | null {
  return all().months.get(plain(word)) ?? null;
}

/** True for the name or abbreviation of a weekday. */
monthNamed.weekday = (word: string): boolean => all().weekdays.has(plain(word));

/** Names of all languages; a word that two of them use for different months stays that of the first. */
function all(): Names {
  if (names) return names;
  const months = new Map<string, number>([
    ['sept', 9],
    ['mrz', 3],
    ['maerz', 3],
  ]);
  const weekdays = new Set<string>();
  const named = (type: 'month' | 'weekday', at: number, format: Intl.DateTimeFormat) =>
    plain(format.formatToParts(at).find((part) => part.type === type)?.value ?? '');
  for (const language of LANGUAGES)
    for (const style of ['long', 'short'] as const) {
      for (const options of [{ month: style }, { month: style, day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
        for (let month = 0; month < MONTHS; month++) {
          const name = named('month', Date.UTC(2023, month, 15), format);
          if (!months.has(name)) months.set(name, month + 1);
          const short = name.slice(0, 3);
          if (['en', 'de', 'pl'].includes(language) && !months.has(short)) months.set(short, month + 1);
        }
      }
      const format = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' });
      for (let day = 0; day < 7; day++) weekdays.add(named('weekday', FIRST_SUNDAY + day * DAY_MS, format));
    }
  return (names = { months, weekdays });
}
