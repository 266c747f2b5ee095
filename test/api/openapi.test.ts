import { expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { openApi } from '../../src/api/openapi.ts';
import { specified } from './specified.ts';

const FILE = 'docs/openapi.json';

type Operation = Readonly<{
  operationId: string;
  parameters: readonly { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: { properties: object; required?: string[] } }> };
  responses: Readonly<Record<string, unknown>>;
  'x-permission': string;
  'x-repeat': string;
}>;
type Document = Readonly<{
  openapi: string;
  security: readonly Readonly<Record<string, unknown>>[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<{
    schemas: Record<string, object>;
    securitySchemes: Record<string, { name: string }>;
  }>;
}>;

const document = JSON.parse(JSON.stringify(openApi())) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** After a change of the endpoints: `npx vitest run test/api/openapi.test.ts -u`. */
test('the checked-in OpenAPI document is the one the endpoints generate', async () => {
  const text = await formatted(FILE, JSON.stringify(openApi()));
  await expect(text).toMatchFileSnapshot(`../../${FILE}`);
});

test('the OpenAPI document has every endpoint with its permission and a unique operation id', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(
    operations.map(({ method, path, operation }) => `${method} ${path} ${operation['x-permission']}`).sort(),
  ).toEqual(specified.map(({ method, path, access }) => `${method} /api/v1${path} ${access}`).sort());
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(46);
});

test('every reference in the OpenAPI document resolves', () => {
  const references = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) =>
          key === '$ref' ? [String(inner)] : references(inner),
        );
  const resolve = (reference: string) =>
    reference
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
  const all = [...new Set(references(document))];
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter((reference) => typeof resolve(reference) !== 'object')).toEqual([]);
  const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(schemas.filter((name) => !all.includes(name))).toEqual([]);
});

test.each(operations)(
  'the OpenAPI document describes $method $path completely',
  ({ method, path, operation }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(named);
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(Object.keys(operation.responses)).toEqual(['200', '400', '429']);
    expect(operation['x-repeat']).toBe(/\/send$|\/1ct\/(enable|disable)$/.test(path) ? 'never' : 'always');
    const hasBody = method === 'POST' && !path.endsWith('/disable');
    expect(operation.requestBody !== undefined).toBe(hasBody);
  },
);

test('the OpenAPI document has patterns for addresses and references to the schemas of rows and links', () => {
  const { schemas } = document.components;
  expect(schemas['Calldata']).toMatchObject({
    properties: { toAddress: { pattern: expect.any(String) as string } },
  });
  const list = document.paths['/api/v1/orders']?.['get']?.responses['200'];
  expect(JSON.stringify(list)).toContain('"items":{"$ref":"#/components/schemas/Order"}');
  const recorded = document.paths['/api/v1/orders/tx']?.['post']?.responses['200'];
  expect(JSON.stringify(recorded)).toContain('#/components/schemas/Mapping');
});

test('the OpenAPI document requires the six headers of a signed request together', () => {
  const names = ['x-api-key', 'x-api-sign', 'x-api-ts', 'x-api-nonce', 'x-api-chain-id', 'x-api-p'];
  expect(document.security.map((each) => Object.keys(each))).toEqual([names]);
  expect(Object.values(document.components.securitySchemes).map(({ name }) => name)).toEqual(names);
});
