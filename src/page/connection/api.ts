import type { Surroundings } from './surroundings.ts';

/** Refusal by the daemon, or no response at all (`status` 0). `code`: as in the control API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(message: string, { status, code }: Readonly<{ status: number; code: string }>) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Only the page itself can send this header: another site's form or link cannot. */
const OWN = { 'x-drover-page': '1' };

type RequestOptions = Readonly<{
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}>;

/** Response to a request, body unread. @throws {ApiError} when it is refused or lost */
export async function request(
  surroundings: Pick<Surroundings, 'fetch'>,
  address: string,
  { method = 'GET', body, headers = {}, signal }: RequestOptions = {},
): Promise<Response> {
  const init: RequestInit = { method, headers: { ...headers, ...OWN } };
  if (body !== undefined) {
    init.headers = { ...headers, ...OWN, 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  if (signal) init.signal = signal;
  const response = await surroundings.fetch(address, init).catch(() => {
    throw new ApiError('The daemon does not answer.', { status: 0, code: 'NO_ANSWER' });
  });
  if (response.ok) return response;
  throw await refusalOf(response);
}

/** Value of an endpoint. The daemon has the same version as this page, so its responses match the schemas. */
export async function ask<T>(
  surroundings: Pick<Surroundings, 'fetch'>,
  address: string,
  asked: RequestOptions = {},
): Promise<T> {
  const response = await request(surroundings, address, asked);
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError("The daemon's answer was cut off.", { status: 0, code: 'NO_ANSWER' });
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiError(error.message, { status, code: error.code });
  } catch {
    return new ApiError(`The daemon answered ${status} without giving a reason.`, {
      status,
      code: 'UNREADABLE',
    });
  }
}
