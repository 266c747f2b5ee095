/** The events of an incoming body. */
type Incoming = Readonly<{
  on(event: 'data', hear: (chunk: Buffer) => void): unknown;
  on(event: 'end' | 'close', hear: () => void): unknown;
}>;

/** An unreadable body: the reason, with its HTTP status. */
export class BodyError extends Error {
  readonly statusCode: 400 | 413;

  constructor(statusCode: 400 | 413, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/**
 * The body of a request as it came, whatever its method and content type: all of it is signed. Empty for none.
 * @throws {BodyError} when it is larger than `most` bytes, no UTF-8, or cut short
 */
export async function readBody(incoming: Incoming, most: number): Promise<string> {
  const bytes = await allOf(incoming, most);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BodyError(400, 'the body is not UTF-8');
  }
}

function allOf(incoming: Incoming, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else reject(new BodyError(413, `the body is larger than ${most} bytes`));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('close', () => reject(new BodyError(400, 'the body was cut short')));
  });
}
