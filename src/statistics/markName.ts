/** Period at whose close a run is marked. */
export type MarkName = 'session' | 'week';

export const WEEKS_A_YEAR = 52;

/** Period between the marks of a run with this many marks a year. */
export const markNameOf = (marksPerYear: number): MarkName =>
  marksPerYear === WEEKS_A_YEAR ? 'week' : 'session';

/** Text about sessions, reworded for the period at which the run is marked. */
export const saidOf = (mark: MarkName, text: string): string =>
  mark === 'session'
    ? text
    : text
        .replace(/session(?= (?:returns|closes))/g, 'weekly')
        .replaceAll('session', 'week')
        .replaceAll('Session', 'Week');
