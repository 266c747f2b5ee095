/** One session that the rules get wrong. Times are New York, `HH:MM`; a time left out is the one the rules give. */
export type CalendarException = Readonly<{ date: string; reason: string }> &
  (Readonly<{ closed: true }> | Readonly<{ closed?: false; open?: string; close?: string }>);

/**
 * Closures and irregular hours are known up to here; later ones were not known when this table was last checked.
 * Whoever adds a row or finds none to add moves the date on.
 */
export const exceptionsAsOf = '2026-07-21';

const WORLD_TRADE_CENTER = 'attack on the World Trade Center';
const SANDY = 'Hurricane Sandy';

/**
 * Since 2000, from the exchange's own list of special closings and, after 2011, its notices. Pauses within a session
 * are not here (as 2015-07-08, 11:32 to 15:10), nor is 2009-07-02, when orders left over from the close at 16:00
 * were carried out until 16:15.
 */
export const exceptions: readonly CalendarException[] = [
  { date: '2001-09-11', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-12', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-13', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-14', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-17', reason: 'silence for the dead of September 11', open: '09:33' },
  { date: '2001-10-08', reason: 'silence for the troops in Afghanistan', open: '09:31' },
  { date: '2002-09-11', reason: 'first anniversary of September 11', open: '12:00' },
  { date: '2003-03-20', reason: 'silence for the troops in Iraq', open: '09:32' },
  { date: '2003-12-26', reason: 'Friday after Christmas', close: '13:00' },
  { date: '2004-06-07', reason: 'silence for President Reagan', open: '09:32' },
  { date: '2004-06-11', reason: 'mourning for President Reagan', closed: true },
  { date: '2005-06-01', reason: 'failure of the communication system', close: '15:56' },
  { date: '2006-12-27', reason: 'silence for President Ford', open: '09:32' },
  { date: '2007-01-02', reason: 'mourning for President Ford', closed: true },
  { date: '2012-10-29', reason: SANDY, closed: true },
  { date: '2012-10-30', reason: SANDY, closed: true },
  { date: '2018-12-05', reason: 'mourning for President George H. W. Bush', closed: true },
  { date: '2025-01-09', reason: 'mourning for President Carter', closed: true },
];
