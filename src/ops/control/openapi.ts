import { z } from 'zod';
import { parametersIn } from '../../api/openapi.ts';
import { VERSION } from '../../core/version.ts';
import { STATUS_BY_CODE } from './request.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** JSON Schema of a value that is sent, without the keywords of a standalone document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json;
}

const refusal = z.object({
  error: z.object({ code: z.enum(Object.keys(STATUS_BY_CODE)), message: z.string() }),
});

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } });

const A_REFUSAL = { $ref: '#/components/schemas/Refusal' };

/** HTTP statuses of refusals, each with its codes. */
const REFUSALS: Readonly<Record<string, Json>> = Object.fromEntries(
  [...new Set<number>(Object.values(STATUS_BY_CODE))].map((status) => {
    const codes = Object.entries(STATUS_BY_CODE).filter(([, each]) => each === status);
    return [
      String(status),
      {
        description: codes.map(([code]) => code).join(', '),
        content: jsonOf(A_REFUSAL),
      },
    ];
  }),
);

/**
 * OpenAPI 3.1 document of the control API, from the schemas that validate its requests. Each endpoint takes a millisecond or two;
 * `turn` lets the run continue in between.
 */
export async function openApiOf(routes: readonly Route[], turn: () => Promise<void>): Promise<Json> {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
    await turn();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'drover control API',
      version: VERSION,
      description:
        'Status and steering of a running daemon, on its Unix socket and, where asked for, on TCP with a token, or with the ' +
        'cookie of a page and the header x-drover-page. GET needs the role read, every other method the role operate.',
    },
    paths,
    components: {
      schemas: { Refusal: schemaOf(refusal) },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        page: { type: 'apiKey', in: 'cookie', name: 'drover-{id}' },
      },
    },
    security: [{ token: [] }, { page: [] }],
  };
}

function operationOf(route: Route): Json {
  const { summary, body, isOpen = false, isMoney = false } = route;
  return {
    summary: isMoney ? `${summary} Over TCP only with \`control.money: true\`.` : summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/\W+(\w)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '')}`,
    ...(isOpen ? { security: [] } : {}),
    parameters: parametersOf(route),
    ...(body && { requestBody: { required: true, content: jsonOf(schemaOf(body, 'input')) } }),
    responses: { '200': answerOf(route), ...accepted(route), ...REFUSALS, ...unwell(route) },
  };
}

const answerOf = ({ answer, media = 'text/plain' }: Route): Json => ({
  description: 'Done.',
  content: answer === null ? { [media]: { schema: { type: 'string' } } } : jsonOf(schemaOf(answer)),
});

/** Response to a command that may still be reading the venue. */
const accepted = (route: Route): Json =>
  route.method === 'GET'
    ? {}
    : { '202': { ...answerOf(route), description: 'Not answered yet: ask GET /v1/commands/{id}.' } };

/** Response of an unhealthy run, which has the usual shape. */
const unwell = (route: Route): Json =>
  route.mayBeUnwell && route.answer !== null
    ? {
        '503': {
          description: 'It is unhealthy, or the run is reading its journal.',
          content: jsonOf({ anyOf: [schemaOf(route.answer), A_REFUSAL] }),
        },
      }
    : {};

function parametersOf({ path, query }: Route): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return [...inPath, ...(query ? parametersIn('query', schemaOf(query, 'input')) : [])];
}
