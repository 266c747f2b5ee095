import { z } from 'zod';
import {
  calendarWith,
  createTradingCalendar,
  type CalendarException,
  type TradingCalendar,
} from '../../calendar/index.ts';
import { InvalidValueError, messageOf, faultIn } from '../../core/errors.ts';
import { isLoopbackHost } from '../../core/loopback.ts';
import { isChecksummed } from '../../api/wire.ts';
import { type Cash, parseCash } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import { parseInstant } from './times.ts';

/** Significant digits that a number in a file represents exactly. */
const EXACT_DIGITS = 15;

/** A schema whose output is the result of `read`; its errors become problems. */
export const readBy = <Input extends z.ZodType, Output>(
  input: Input,
  read: (value: z.output<Input>) => Output,
): z.ZodPipe<Input, z.ZodTransform<Output, z.output<Input>>> =>
  input.pipe(
    z.transform((value: z.output<Input>, context) => {
      try {
        return read(value);
      } catch (error) {
        context.issues.push({ code: 'custom', message: messageOf(error), input: value });
        return z.NEVER;
      }
    }),
  );

function readAmount(value: string | number): Cash {
  const digits = String(value).replace(/[-.]/g, '').replace(/^0+/, '');
  if (typeof value === 'number' && digits.length > EXACT_DIGITS)
    throw new Error(`${value} has too many digits for a number to be exact: put quotes around it`);
  return parseCash(String(value));
}

function readCash(value: string | number): Cash {
  const amount = readAmount(value);
  if (amount === 0n) throw new Error('must be more than 0');
  return amount;
}

/** Positive mUSD, as a decimal in quotes or as a plain number. */
export const cashAmount = () => readBy(z.union([z.string(), z.number()]), readCash);

/** Amount of mUSD that may be 0, as a decimal in quotes or as a plain number. */
export const cashOrNone = () => readBy(z.union([z.string(), z.number()]), readAmount);

/** Instant such as `2026-06-15T09:25`, in New York time, or with a time zone or `Z`. */
export const instant = () => readBy(z.string(), parseInstant);

/** True for a mixed-case address whose checksum does not match; an address in one case has no checksum. */
const isMistyped = (address: string): boolean =>
  /[a-f]/.test(address.slice(2)) && /[A-F]/.test(address) && !isChecksummed(address);

/** `0x` and 40 hex digits. Mixed upper and lower case must fit the checksum (EIP-55). */
export const address = () =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, {
      error: 'must be an address: 0x and 40 hex digits',
      abort: true,
    })
    .refine((text) => !isMistyped(text), {
      error: 'does not match the checksum in its upper and lower case (a digit is mistyped: copy it again)',
    })
    .transform((text) => text as Address);

const HOME =
  'must not begin with ~, which only a shell expands to your home: write ${HOME}/…, or ./~/… for a folder of that name';

/** A path. Relative ones are resolved from the folder of the config file. */
export const filePath = () =>
  z
    .string()
    .min(1)
    .refine((path) => !path.startsWith('~'), HOME);

export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && isLoopbackHost(new URL(url).hostname);

/** A URL with https, or http on this machine, without user and password. @throws saying what is required */
export function secureUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error('must be a URL, such as https://host/path');
  const url = new URL(text);
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('must start with https://');
  if (protocol === 'http:' && !isLoopback(text))
    throw new Error(
      'must start with https:// (plain http is for this machine only: 127.0.0.1, [::1], localhost)',
    );
  if (username || password) throw new Error('must not carry a user name or password');
  return url;
}

function readUrl(text: string): string {
  const { search, hash } = secureUrl(text);
  if (search || hash || text.endsWith('?') || text.endsWith('#'))
    throw new Error('must end with its path: no query and no fragment');
  return text.replace(/\/+$/, '');
}

/** https anywhere, http on loopback only; no credentials, query or fragment. Trailing slashes are dropped. */
export const baseUrl = () => readBy(z.string(), readUrl);

const reason = z.string().max(200).default('set by the config').describe('Why, for people.');
const date = z.iso.date().describe('The day in New York, such as 2026-12-24.');
const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time in New York such as 13:00')
  .describe('Time in New York, such as 13:00.');

const closed = z.strictObject({ date, closed: z.literal(true).describe('No session on this day.'), reason });
const irregular = z.strictObject({ date, open: time.optional(), close: time.optional(), reason });

type Override = z.output<typeof closed> | z.output<typeof irregular>;

/** Checks that each override names a trading day, only once, with possible hours. */
function checkDays(overrides: readonly Override[], context: z.RefinementCtx<Override[]>): void {
  const seen = new Set<string>();
  for (const [index, override] of overrides.entries()) {
    const problem = seen.has(override.date) ? `names ${override.date} twice` : problemOf(override);
    if (problem !== null) context.addIssue({ code: 'custom', path: [index], message: problem });
    seen.add(override.date);
  }
}

const problemOf = (override: Override): string | null =>
  faultIn(InvalidValueError, () => createTradingCalendar([exceptionOf(override)]));

export const calendar = z.strictObject({
  overrides: z
    .array(z.union([closed, irregular]))
    .max(100)
    .superRefine(checkDays)
    .default([])
    .describe(
      'Closures and early closes announced since this version was made; they override its own table.',
    ),
});

/** Exceptions to the calendar from a config. */
export const exceptionsOf = ({
  calendar: { overrides },
}: Readonly<{ calendar: z.output<typeof calendar> }>): CalendarException[] => overrides.map(exceptionOf);

function exceptionOf(override: Override): CalendarException {
  if ('closed' in override) return override;
  const { date: day, reason: why, open, close } = override;
  return {
    date: day,
    reason: why,
    ...(open === undefined ? {} : { open }),
    ...(close === undefined ? {} : { close }),
  };
}

/** The calendar with the overrides of a config. */
export const calendarOf = (config: Parameters<typeof exceptionsOf>[0]): TradingCalendar =>
  calendarWith(exceptionsOf(config));
