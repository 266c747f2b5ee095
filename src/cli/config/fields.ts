import { z } from 'zod';
import { isChecksummed } from '../../api/checksum.ts';
import { type Cash, parseCash } from '../../core/amount.ts';
import { messageOf } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { parseInstant } from './instant.ts';

/** Significant digits that a number in a file keeps exactly. */
const EXACT_DIGITS = 15;

/** A schema whose output is what `read` makes of the text; what it throws becomes the problem. */
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

/** The same, or 0. */
export const cashOrNone = () => readBy(z.union([z.string(), z.number()]), readAmount);

/** `2026-06-15T09:25` in New York, or with a zone or `Z`. */
export const instant = () => readBy(z.string(), parseInstant);

/** Letters of both cases are a checksum; all of one case have none to check. */
const isMistyped = (address: string): boolean =>
  /[a-f]/.test(address.slice(2)) && /[A-F]/.test(address) && !isChecksummed(address);

/** `0x` and 40 hex digits. Upper and lower case beside each other must fit the digits (EIP-55). */
export const address = () =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, {
      error: 'must be an address: 0x and 40 hex digits',
      abort: true,
    })
    .refine((text) => !isMistyped(text), {
      error: 'must fit the checksum that its upper and lower case make (a digit is mistyped: copy it again)',
    })
    .transform((text) => text as Address);

/** A path. Relative ones are taken from the folder of the config file. */
export const filePath = () => z.string().min(1);

export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

function readUrl(text: string): string {
  if (!URL.canParse(text)) throw new Error('must be a URL, such as https://host/path');
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('must start with https://');
  if (protocol === 'http:' && !isLoopback(text))
    throw new Error(
      'must start with https:// (plain http is for this machine only: 127.0.0.1, [::1], localhost)',
    );
  if (username || password) throw new Error('must not carry a user name or password');
  if (search || hash || text.endsWith('?') || text.endsWith('#'))
    throw new Error('must end with its path: no query and no fragment');
  return text.replace(/\/+$/, '');
}

/** https anywhere, http on loopback only; no credentials, query or fragment. Trailing slashes are dropped. */
export const baseUrl = () => readBy(z.string(), readUrl);
