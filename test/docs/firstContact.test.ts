import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { OBJECT_NAMES, PROOFS, WORDS } from '../../src/api/assumptions/names.ts';
import { assumptions } from '../../src/app/config/sections.ts';

const page = readFileSync('docs/first-contact.md', 'utf8');

test('docs/first-contact.md names everything that is assumed of the venue', () => {
  const words = Object.keys(WORDS).map((name) => `words.${name}`);
  const others = ['units.t', 'units.createTime', 'orderIdForm', 'notFoundCode', 'functions', 'pages', 'bars'];
  for (const name of [...OBJECT_NAMES, ...Object.keys(PROOFS), ...words, ...others])
    expect(page).toContain(`\`${name}\``);
});

test('the example of docs/first-contact.md is a valid overlay', () => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const { venue } = parse(yaml) as { venue: { assumptions: unknown } };
  expect(assumptions.parse(venue.assumptions)).toMatchObject({ units: { createTime: 'iso' } });
});
