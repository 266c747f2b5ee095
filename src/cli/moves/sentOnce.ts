import { DroverError, messageOf, OutcomeUnknownError } from '../../core/errors.ts';

/** How a send that got no answer is told. `what`: the request, where the words of the failure do not name it. */
export type Doubt = Readonly<{ what?: string; look: string }>;

/** A send is never repeated: one without an answer may have been taken, and only looking can tell. */
export async function sentOnce<T>(send: () => Promise<T>, { what, look }: Doubt): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DroverError) || error.effect !== 'unknown') throw error;
    throw new OutcomeUnknownError(
      `${what === undefined ? '' : `${what}: `}${messageOf(error)}. It may have been taken or not: look with ${look} ` +
        'for some minutes, and do not send it again before you know',
      error.details,
      { cause: error },
    );
  }
}
