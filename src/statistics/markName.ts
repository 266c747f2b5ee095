/** Period at whose close a run is marked. */
export type MarkName = 'session' | 'week';

export const WEEKS_A_YEAR = 52;

/** Period of a run with so many marks a year. */
export const markNameOf = (marksPerYear: number): MarkName =>
  marksPerYear === WEEKS_A_YEAR ? 'week' : 'session';

/** Text on sessions, with the period at which the run is marked. */
export const saidOf = (mark: MarkName, text: string): string =>
  mark === 'session'
    ? text
    : text
        .replace(/session(?= (?:returns|closes))/g, 'weekly')
        .replaceAll('session', 'week')
        .replaceAll('Session', 'Week');
