import { expect, test } from 'vitest';
import { cycloneDxOf, spdxOf } from '../../release/bills.js';
import { packagesIn } from '../../release/licences.js';

const kept = new Set(['zod@4.0.0', 'preact@11.0.0']);

test('a CycloneDX bill keeps what is installed or bundled, and who depends on it', () => {
  const component = (name: string, version: string, isDev: boolean) => ({
    'bom-ref': `${name}@${version}`,
    name,
    version,
    properties: isDev ? [{ name: 'cdx:npm:package:development', value: 'true' }] : [],
  });
  const bill = cycloneDxOf(
    {
      components: [
        component('zod', '4.0.0', false),
        component('preact', '11.0.0', true),
        component('vitest', '4.0.0', true),
      ],
      dependencies: [
        { ref: 'drover@1.0.0', dependsOn: ['zod@4.0.0', 'preact@11.0.0', 'vitest@4.0.0'] },
        { ref: 'vitest@4.0.0', dependsOn: ['zod@4.0.0'] },
        { ref: 'zod@4.0.0', dependsOn: [] },
      ],
    },
    kept,
  );
  expect(bill.components.map(({ name, properties }) => [name, properties])).toEqual([
    ['zod', []],
    ['preact', []],
  ]);
  expect(bill.dependencies).toEqual([
    { ref: 'drover@1.0.0', dependsOn: ['zod@4.0.0', 'preact@11.0.0'] },
    { ref: 'zod@4.0.0', dependsOn: [] },
  ]);
});

test('an SPDX bill keeps what is released, installed or bundled, and no relation to anything else', () => {
  const of = (spdxElementId: string, relatedSpdxElement: string, relationshipType: string) => ({
    spdxElementId,
    relatedSpdxElement,
    relationshipType,
  });
  const bill = spdxOf(
    {
      packages: [
        { name: 'drover', versionInfo: '1.0.0', SPDXID: 'drover' },
        { name: 'preact', versionInfo: '11.0.0', SPDXID: 'preact' },
        { name: 'vitest', versionInfo: '4.0.0', SPDXID: 'vitest' },
      ],
      relationships: [
        of('SPDXRef-DOCUMENT', 'drover', 'DESCRIBES'),
        of('preact', 'drover', 'DEV_DEPENDENCY_OF'),
        of('vitest', 'drover', 'DEV_DEPENDENCY_OF'),
      ],
    },
    kept,
  );
  expect(bill.packages.map(({ name }) => name)).toEqual(['drover', 'preact']);
  expect(bill.relationships).toEqual([
    of('SPDXRef-DOCUMENT', 'drover', 'DESCRIBES'),
    of('preact', 'drover', 'DEPENDENCY_OF'),
  ]);
});

test('the packages of a bundle are read from the file of its licences', () => {
  const text = '@noble/curves 1.9.1\n\nThe MIT License\n\n---\n\nws 8.21.0\n\nMIT';
  expect(packagesIn(text)).toEqual(['@noble/curves@1.9.1', 'ws@8.21.0']);
});
