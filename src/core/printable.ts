/**
 * Characters that a terminal acts upon instead of showing them: control characters (escape, carriage return, 8-bit ones), characters
 * without a width that reorder or hide text (right-to-left marks, zero-width ones), separators of lines, half surrogates.
 */
const ACTS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const ACTS_BUT_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** The colours that this program prints by itself (picocolors), or any character of the above. */
const COLOUR_OR_ACTS = /(\u001B\[(?:1|2|22|31|32|33|39)m)|(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes as JSON does, so that within a JSON text it stays the same value. */
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
const escaped = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');

/** A text of one or more lines as people may see it: what a terminal would act upon is spelled out, as in `\u001b`. */
export const printable = (text: string): string => text.replace(ACTS_BUT_LINES, escaped);

/** The same, with the colours of this program left in. */
export const printableInColour = (text: string): string =>
  text.replace(COLOUR_OR_ACTS, (found, colour: string | undefined) => colour ?? escaped(found));

/** A JSON text that a terminal shows as it is; it stands for the same value. */
export const printableJson = (json: string): string => json.replace(ACTS, escaped);

/** The beginning of a text, with how much of it was left out. Secrets are masked before: half of one is not known. */
export const bounded = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;

/** Longest status, symbol or id that is quoted, in characters: a hash has 66. */
const WORD_MAX = 80;

/** A status, a symbol or an id of the venue as we repeat it. */
export const shortWord = (text: string): string => oneLine(text, WORD_MAX);

/** A text of somebody else's making within a line of ours: no line of its own, and no longer than `most` characters. */
export const oneLine = (text: string, most: number): string => bounded(text, most).replace(ACTS, escaped);

/**
 * A text as a message shows it: in quotes, or when it has more characters than `most`, by their
 * number. Its beginning could be half of a secret, which nothing masks.
 */
export const shownText = (text: string, most: number): string =>
  text.length > most ? `a text of ${text.length} characters` : JSON.stringify(text);
