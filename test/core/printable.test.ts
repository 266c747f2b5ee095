import { expect, test } from 'vitest';
import { bounded, oneLine, printable, printableInColour, printableJson } from '../../src/core/printable.ts';

/** Control characters of terminals, and their effect. */
const ACTING: Record<string, string> = {
  'clears the screen': '\u001B[2J',
  'sets the title': '\u001B]0;x\u0007',
  'writes over the line': '\r',
  'takes a letter back': '\b',
  rings: '\u0007',
  'the 8-bit form of escape [': '\u009B',
  deletes: '\u007F',
  'turns the direction of what follows': '\u202E',
  isolates: '\u2066',
  'is not seen': '\u200B',
  'marks an order of bytes': '\uFEFF',
  'begins a line elsewhere': '\u2028',
  'is a tag that is not seen': '\u{E0041}',
  'is half a character': '\uD800',
};

test.each(Object.entries(ACTING))('printable text spells out what %s', (_, text) => {
  const acts =
    /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}\uD800]/u;
  for (const shown of [printable, printableInColour, (value: string) => oneLine(value, 99)])
    expect(shown(`before ${text} after`)).not.toMatch(acts);
  expect(printable(`a${text}b`)).toContain('\\');
  expect(printableJson(JSON.stringify(text))).not.toMatch(acts);
  expect(JSON.parse(printableJson(JSON.stringify(text)))).toBe(text);
});

test('printable leaves ordinary text, line breaks and tabs unchanged', () => {
  for (const text of ['AAPL 1.5\n\tnext', 'Grüße, 東京 — ½ “x” 😀', '═ · → ✓ × –'])
    expect(printable(text)).toBe(text);
});

test('printableInColour keeps colour codes and spells out other escapes; printable spells out both', () => {
  const ours = '\u001B[31mred\u001B[39m \u001B[1mbold\u001B[22m';
  expect(printableInColour(ours)).toBe(ours);
  expect(printableInColour('\u001B[8mhidden')).toBe('\\u001b[8mhidden');
  expect(printable(ours)).not.toContain('\u001B');
});

test('oneLine escapes line breaks and cuts a long text, naming how much is missing', () => {
  expect(oneLine('ok\n✓ sold everything\r\n', 100)).toBe('ok\\n✓ sold everything\\r\\n');
  expect(oneLine('x'.repeat(1_000_000), 500)).toBe(`${'x'.repeat(500)}… (999500 more characters)`);
  expect(bounded('short', 5)).toBe('short');
});
