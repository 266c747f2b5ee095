/** What a run is marked at the close of. */
export type MarkName = 'session' | 'week';

export const WEEKS_A_YEAR = 52;

/** Of a run with so many marks a year. */
export const markNameOf = (marksPerYear: number): MarkName =>
  marksPerYear === WEEKS_A_YEAR ? 'week' : 'session';

/** What is said of sessions, said of what a run is marked at. */
export const saidOf = (mark: MarkName, text: string): string =>
  mark === 'session'
    ? text
    : text
        .replace(/session(?= (?:returns|closes))/g, 'weekly')
        .replaceAll('session', 'week')
        .replaceAll('Session', 'Week');
