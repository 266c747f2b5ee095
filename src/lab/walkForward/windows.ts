import type { Session } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import type { Span } from '../trials/trial.ts';

/** In-sample part, in which parameters are chosen, and the unseen part after it. */
export type Window = Readonly<{ inSample: Span; outOfSample: Span; label: string }>;

export type WindowOptions = Readonly<{
  /** Lengths, such as `12m/3m`: `d` are sessions; `w`, `m` and `y` the sessions of a 52nd, a twelfth or all of a year. */
  text: string;
  /** True: each in-sample part begins with the first session. */
  isAnchored: boolean;
  /** Number of sessions left out between the two parts. */
  embargo: number;
  /** Sessions of the study, in order. */
  sessions: readonly Session[];
  /** Last close of a session's day that is played. A part begins right there: later decisions fill in the next one. */
  endOf: (session: Session) => number;
  span: Span;
  /** Number of sessions in a year: 252, or 52 for weekly bars. */
  marksPerYear: number;
}>;

/** Number of each unit in a year. */
const OF_YEAR: Readonly<Record<string, number>> = { w: 52, m: 12, y: 1 };
const FORM = 'write it as 12m/3m: in sample, then out of sample, in d (sessions), w, m or y';

/** Shortest part in sessions: fewer say nothing about a ratio. */
const PART_MIN = 20;

/**
 * Windows of a walk-forward: the out-of-sample parts follow each other without gap or overlap, the last one as far as
 * the data reach. @throws {ConfigError} for lengths that do not fit the data, with a remedy
 */
export function windowsOf({
  text,
  isAnchored,
  embargo,
  sessions,
  endOf,
  span,
  marksPerYear,
}: WindowOptions): readonly Window[] {
  const [inLength, outLength] = lengthsOf(text, marksPerYear);
  if (!Number.isInteger(embargo) || embargo < 0)
    throw new ConfigError(`--embargo ${embargo}: write a number of sessions, 0 or more`);
  const first = inLength + embargo;
  if (first + PART_MIN > sessions.length)
    throw new ConfigError(
      `--walk-forward ${text} needs ${first + PART_MIN} sessions or more, and there are ${sessions.length}. ` +
        'Take shorter parts, or more bars',
    );
  const beginOf = (place: number): number => {
    const before = sessions[place - 1];
    return before ? endOf(before) : span.from;
  };
  const spanOf = (from: number, to: number): Span => ({
    from: beginOf(from),
    to: to < sessions.length ? beginOf(to) : span.to,
  });
  const windows: Window[] = [];
  for (let start = first; start < sessions.length; start += outLength) {
    const end = Math.min(start + outLength, sessions.length);
    const from = isAnchored ? 0 : start - first;
    const outOfSample = spanOf(start, end);
    const label = `${sessions[start]?.date ?? ''} to ${sessions[end - 1]?.date ?? ''}`;
    windows.push({ inSample: spanOf(from, start - embargo), outOfSample, label });
  }
  return windows;
}

function lengthsOf(text: string, marksPerYear: number): readonly [number, number] {
  const parts = /^(\d{1,5})([dwmy])\/(\d{1,5})([dwmy])$/.exec(text);
  if (!parts) throw new ConfigError(`--walk-forward "${text}": ${FORM}`);
  const [, inCount = '', inUnit = '', outCount = '', outUnit = ''] = parts;
  const lengthOf = (count: string, unit: string) =>
    unit === 'd' ? Number(count) : Math.round((Number(count) * marksPerYear) / (OF_YEAR[unit] ?? 1));
  const [inLength, outLength] = [lengthOf(inCount, inUnit), lengthOf(outCount, outUnit)];
  if (inLength < PART_MIN)
    throw new ConfigError(
      `--walk-forward ${text}: there are ${inLength} sessions in sample, but it needs ${PART_MIN}`,
    );
  if (outLength < 1) throw new ConfigError(`--walk-forward ${text}: nothing is out of sample`);
  return [inLength, outLength];
}
