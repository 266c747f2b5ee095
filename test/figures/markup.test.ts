import { expect, test } from 'vitest';
import { markup } from '../../src/figures/markup.ts';

test('text in markup is escaped, with its control and direction characters', () => {
  const text = '<b>\u202Egpj.exe\u0007 & "x"';
  expect(markup`<p>${text}</p>`.markup).toBe('<p>&lt;b&gt;\\u202egpj.exe\\u0007 &amp; &quot;x&quot;</p>');
});
