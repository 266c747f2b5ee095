import { MINUTE_MS, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { PlotPlace, PlottedSeries } from '../../domain/plots.ts';
import type { Plot } from '../../strategy/shown.ts';

/** Maximum length of the name of a series or panel, in characters. */
const NAME_MAX = 60;
/** Maximum number of series per strategy: further ones are ignored. */
export const SERIES_MAX = 100;

const PLACE_KEYS: ReadonlySet<string> = new Set(['symbol', 'panel'] satisfies (keyof PlotPlace)[]);
const OWN_PANEL: PlotPlace = {};

const minuteOf = (at: EpochMs): number => Math.floor(at / MINUTE_MS);

/** Values of one series that have not been taken: only the last one of each minute. */
class Series {
  readonly name: string;
  readonly symbol: string | undefined;
  readonly panel: string | undefined;
  #at: EpochMs[] = [];
  #values: number[] = [];
  /** Minute of the value taken last. */
  #taken = -1;

  constructor(name: string, { symbol, panel }: PlotPlace) {
    [this.name, this.symbol, this.panel] = [name, symbol, panel];
  }

  add(at: EpochMs, value: number): void {
    const last = this.#at.length - 1;
    const before = this.#at[last];
    const place = before !== undefined && minuteOf(before) === minuteOf(at) ? last : last + 1;
    this.#at[place] = at;
    this.#values[place] = value;
  }

  get isEmpty(): boolean {
    return this.#at.length === 0;
  }

  /** Takes values that are due: the first of a minute at once, a later one when the minute is over. */
  take(now: EpochMs, isEnd: boolean): PlottedSeries | null {
    const last = this.#at.at(-1);
    if (last === undefined) return null;
    const isWaiting = !isEnd && minuteOf(last) === this.#taken && minuteOf(now) === this.#taken;
    if (isWaiting && this.#at.length === 1) return null;
    const count = this.#at.length - (isWaiting ? 1 : 0);
    const at = this.#at.splice(0, count);
    const values = this.#values.splice(0, count);
    this.#taken = minuteOf(at.at(-1) ?? last);
    const { name, symbol, panel } = this;
    return {
      name,
      ...(symbol !== undefined && { symbol }),
      ...(panel !== undefined && { panel }),
      at,
      values: values.map((value) => (Number.isFinite(value) ? value : null)),
    };
  }
}

type PlotBufferOptions = Readonly<{
  now: () => EpochMs;
  /** True while values are kept: in a hook that is not showing old bars. */
  isOpen: () => boolean;
  known: ReadonlySet<string>;
  /** Writes a line into the strategy's log. */
  log: (text: string) => void;
}>;

/** The `plot` function of one strategy: buffers its values until they are journaled. */
export class PlotBuffer {
  readonly #options: PlotBufferOptions;
  readonly #byName = new Map<string, Series[]>();
  #count = 0;
  #isFull = false;
  /** True while there are values to take, now or later. */
  hasNew = false;

  constructor(options: PlotBufferOptions) {
    this.#options = options;
  }

  /** @throws {InvalidValueError} for an invalid name, value or place */
  readonly plot: Plot = (name, value, place = OWN_PANEL) => {
    if (typeof value !== 'number')
      throw new InvalidValueError(
        `plot: a value has the type ${typeof value}: give a number; NaN leaves a gap`,
      );
    if (typeof place !== 'object' || (place as unknown) === null)
      throw new InvalidValueError("plot: its place is no object, such as { symbol: 'AAPL' }");
    const series = this.#find(name, place) ?? this.#begin(name, place);
    if (series === null || !this.#options.isOpen()) return;
    series.add(this.#options.now(), value);
    this.hasNew = true;
  };

  /** Takes the values due at a time. @param isEnd all are due */
  take(now: EpochMs, isEnd = false): readonly PlottedSeries[] {
    const all = [...this.#byName.values()].flat();
    const taken = all.flatMap((series) => series.take(now, isEnd) ?? []);
    this.hasNew = all.some(({ isEmpty }) => !isEmpty);
    return taken;
  }

  #find(name: string, { symbol, panel }: PlotPlace): Series | undefined {
    return this.#byName.get(name)?.find((series) => series.symbol === symbol && series.panel === panel);
  }

  /** Creates a series; null if there are too many. */
  #begin(name: string, place: PlotPlace): Series | null {
    requireName(name, 'name of a series');
    this.#requirePlace(place);
    if (this.#count === SERIES_MAX) {
      this.#refuse();
      return null;
    }
    const series = new Series(name, place);
    this.#count++;
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), series]);
    return series;
  }

  #requirePlace(place: PlotPlace): void {
    const wrong = Object.keys(place).find((key) => !PLACE_KEYS.has(key));
    if (wrong !== undefined)
      throw new InvalidValueError(
        `plot: a place has no ${JSON.stringify(wrong)}: there are symbol and panel`,
      );
    const { symbol, panel } = place;
    if (panel !== undefined) requireName(panel, 'name of a panel');
    const { known } = this.#options;
    if (symbol !== undefined && !known.has(symbol))
      throw new InvalidValueError(
        `plot: ${JSON.stringify(symbol)} is none of the symbols that the strategy asks for in data(): ${[...known].join(', ')}`,
      );
  }

  #refuse(): void {
    if (this.#isFull || !this.#options.isOpen()) return;
    this.#isFull = true;
    this.#options.log(`plot: more than ${SERIES_MAX} series: the rest is left out`);
  }
}

function requireName(name: unknown, what: string): void {
  if (typeof name !== 'string')
    throw new InvalidValueError(`plot: the ${what} has the type ${typeof name}: give a text`);
  if (name.trim() === '') throw new InvalidValueError(`plot: the ${what} is empty`);
  if (name.length > NAME_MAX)
    throw new InvalidValueError(
      `plot: the ${what} has ${name.length} characters, at most ${NAME_MAX} are kept`,
    );
}
