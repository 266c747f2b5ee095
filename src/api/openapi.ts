import * as endpoints from './endpoints/index.ts';
import { z } from 'zod';
import { CODES, debtRow, delegationChanged, sent } from './assumptions/venueRules.ts';
import type { Endpoint } from './endpoint.ts';
import { envelope } from './envelope.ts';
import {
  basicInfo,
  cashDepositView,
  cashOperation,
  cashWithdrawalView,
  historyOrder,
  mapping,
  openOrder,
  orderView,
  stockOperation,
  stockOperationView,
  tokenBalance,
  calldata,
} from './views.ts';
import { expectedBy } from './wire.ts';

type Json = Record<string, unknown>;

/** Shapes used in several responses, by their name in the document. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  Envelope: envelope,
  Calldata: calldata,
  Sent: sent,
  DelegationChanged: delegationChanged,
  Mapping: mapping,
  OpenOrder: openOrder,
  HistoryOrder: historyOrder,
  Order: orderView,
  CashOperation: cashOperation,
  CashDeposit: cashDepositView,
  CashWithdrawal: cashWithdrawalView,
  StockOperation: stockOperation,
  StockMove: stockOperationView,
  Debt: debtRow,
  TokenBalance: tokenBalance,
  BasicInfo: basicInfo,
};
const NAMES = new Map<z.core.$ZodType, string>(
  Object.entries(SHARED).map(([name, schema]) => [schema, name]),
);

const at = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** JSON Schema of a schema's wire form, with shared shapes referenced by name. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const part: z.core.$ZodType = zodSchema;
      const name = part === schema ? undefined : NAMES.get(part);
      const shape = expectedBy(part);
      if (name === undefined && !shape) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, name === undefined && shape ? named(shape) : at(name ?? ''));
    },
  });
  return json;
}

function named(schema: z.ZodType): Json {
  const name = NAMES.get(schema);
  return name === undefined ? schemaOf(schema) : at(name);
}

/** Headers of every request, which together authenticate it (spec, "Authentication"). */
const HEADERS: Readonly<Record<string, string>> = {
  'x-api-key': 'The key.',
  'x-api-sign':
    'HMAC-SHA256 with the secret of the key, in hex, over method, URI from /api/v1 with its query sorted by name, ' +
    'x-api-ts, x-api-nonce and raw body, with a newline between each.',
  'x-api-ts': 'Unix milliseconds, at most 45 s off.',
  'x-api-nonce': 'A UUID, new for every request.',
  'x-api-chain-id': 'The chain that the key is for.',
  'x-api-p': 'The product that the key is for; case-sensitive.',
};

const SECURITY_SCHEMES = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [
    name,
    { type: 'apiKey', in: 'header', name, description },
  ]),
);
const SECURITY = [Object.fromEntries(Object.keys(HEADERS).map((name) => [name, []]))];

const jsonBody = (schema: Json) => ({ content: { 'application/json': { schema } } });

const RESPONSES = {
  Refused: {
    description:
      `Refused. By code: ${CODES.unauthorized} for every failure of authentication, permission or scope, which it ` +
      `does not tell apart; ${CODES.validation} validation, ${CODES.notFound} not found, ${CODES.rule} a trading rule, ` +
      `${CODES.chain} chain or delegation, ${CODES.failed} anything else. Codes but 200 and 401 are assumed.`,
    ...jsonBody(at('Envelope')),
  },
  TooManyRequests: {
    description: 'Too many requests. A write that meets it may have been done all the same.',
    headers: { 'retry-after': { description: 'Seconds, or a date.', schema: { type: 'string' } } },
  },
};

const parametersOf = ({ params, query }: Endpoint): Json[] => [
  ...(params ? parametersIn('path', schemaOf(params)) : []),
  ...(query ? parametersIn('query', schemaOf(query)) : []),
];

/** Parameters of an operation, from the JSON Schema of the object that holds them. */
export function parametersIn(where: 'path' | 'query', object: Json): Json[] {
  const { properties = {}, required = [] } = object as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema,
  }));
}

const answerOf = ({ response }: Endpoint): Json => ({
  description: 'Done.',
  ...jsonBody({
    allOf: [
      at('Envelope'),
      {
        type: 'object',
        properties: { code: { const: CODES.success }, data: named(response) },
      },
    ],
  }),
});

const operationOf = ([operationId, endpoint]: [string, Endpoint]): Json => ({
  operationId,
  tags: [endpoint.path.split('/')[3]],
  parameters: parametersOf(endpoint),
  ...(endpoint.body ? { requestBody: { required: true, ...jsonBody(schemaOf(endpoint.body)) } } : {}),
  responses: {
    200: answerOf(endpoint),
    400: { $ref: '#/components/responses/Refused' },
    429: { $ref: '#/components/responses/TooManyRequests' },
  },
  'x-permission': endpoint.access,
  'x-repeat': endpoint.repeat,
});

/** The venue as an OpenAPI 3.1 document: every endpoint with the schemas of the client. */
export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const entry of Object.entries<Endpoint>(endpoints)) {
    const { path, method } = entry[1];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(entry) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tokenized-stock venue',
      version: 'v1',
      description:
        'As this client speaks it. Requests are exact; of an answer the fields that it reads. `x-permission`: what the ' +
        'key must be allowed. `x-repeat`: whether an unanswered request may be repeated (`always`) or may have moved ' +
        'something and leaves once (`never`).',
    },
    security: SECURITY,
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(SHARED).map(([name, schema]) => [name, schemaOf(schema)])),
      responses: RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
