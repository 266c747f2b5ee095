import { z } from 'zod';
import { createTradingCalendar, tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';

const reason = z.string().max(200).default('said by the config').describe('Why, for people.');
const date = z.iso.date().describe('The day in New York, such as 2026-12-24.');
const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time in New York such as 13:00')
  .describe('Time in New York, such as 13:00.');

const closed = z.strictObject({ date, closed: z.literal(true).describe('No session on this day.'), reason });
const irregular = z.strictObject({ date, open: time.optional(), close: time.optional(), reason });

export const calendar = z.strictObject({
  overrides: z
    .array(z.union([closed, irregular]))
    .max(100)
    .default([])
    .describe(
      'Closures and early closes announced since this version was made; they go before its own table.',
    ),
});

/**
 * The calendar with what a config adds to it.
 * @throws {InvalidValueError} for hours that no session can have
 */
export function calendarOf({
  calendar: { overrides },
}: Readonly<{ calendar: z.output<typeof calendar> }>): TradingCalendar {
  if (overrides.length === 0) return tradingCalendar;
  return createTradingCalendar(
    overrides.map((one) => {
      if ('closed' in one) return one;
      const { date: day, reason: why, open, close } = one;
      return {
        date: day,
        reason: why,
        ...(open === undefined ? {} : { open }),
        ...(close === undefined ? {} : { close }),
      };
    }),
  );
}
