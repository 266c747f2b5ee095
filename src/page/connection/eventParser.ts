/** A server-sent event. `id`: null for one that cannot be resumed after. `position`: one that only says where the stream begins. */
export type ServerEvent = Readonly<{ event: string; data: string; id: string | null }>;

/** Parser of a stream of server-sent events, as the control API writes it: LF alone, one `data` line an event. */
export class EventParser {
  #rest = '';

  /** Takes a piece of the stream. Returns the events that are complete with it. */
  take(text: string): readonly ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => eventIn(block) ?? []);
  }
}

/** Event of a block; null for a sign of life. */
function eventIn(block: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const [data, id = null] = [fields.get('data'), fields.get('id')];
  if (data !== undefined) return { event: fields.get('event') ?? 'message', data, id };
  return id === null ? null : { event: 'position', data: '', id };
}
