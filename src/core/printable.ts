/**
 * Characters that a terminal interprets instead of showing: control characters (escape, carriage return, 8-bit ones),
 * zero-width ones that reorder or hide text (right-to-left marks, zero-width spaces), line separators, lone surrogates.
 */
const ACTS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const ACTS_BUT_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Colours that this program prints (picocolors), or any of the characters above. */
const COLOUR_OR_ACTS = /(\u001B\[(?:1|2|22|31|32|33|39)m)|(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** JSON escape of a character, which does not change the value of a JSON text. */
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
const escaped = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');

/** Text of one or more lines that is safe to print: terminal control characters are escaped, as in `\u001b`. */
export const printable = (text: string): string => text.replace(ACTS_BUT_LINES, escaped);

/** Safe text that keeps this program's colours. */
export const printableInColour = (text: string): string =>
  text.replace(COLOUR_OR_ACTS, (found, colour: string | undefined) => colour ?? escaped(found));

/** Safe JSON text with the same value. */
export const printableJson = (json: string): string => json.replace(ACTS, escaped);

/** Beginning of a text, and how much was cut. Mask secrets first, because half of a secret is not recognised. */
export const bounded = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;

/** Longest status, symbol or id that is quoted, in characters. A hash has 66. */
const WORD_MAX = 80;

/** Quoted form of a status, symbol or id of the venue. */
export const shortWord = (text: string): string => oneLine(text, WORD_MAX);

/** External text for one of our lines: on a single line, and at most `most` characters. */
export const oneLine = (text: string, most: number): string => bounded(text, most).replace(ACTS, escaped);

/**
 * Text for a message: quoted, or only its length if it has more than `most` characters, because its beginning could be
 * half of a secret, which is not masked.
 */
export const shownText = (text: string, most: number): string =>
  text.length > most ? `a text of ${text.length} characters` : JSON.stringify(text);
