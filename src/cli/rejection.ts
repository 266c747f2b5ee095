import { messageOf } from '../core/errors.ts';

/** Node's words for the rejection of a promise that nobody waits for, by something that is no Error. */
const REASON = /The promise rejected with the reason (.*)\.$/s;

/** The text of an error that nobody caught; in plain words where a promise was rejected by something that is no Error. */
export function uncaughtText(thrown: unknown): string {
  const text = messageOf(thrown);
  if (!isRejection(thrown)) return text;
  const [, reason = text] = REASON.exec(text) ?? [];
  return `a promise that nobody waits for was rejected with ${reason}, which tells no line: reject with an Error`;
}

/** True for Node's own error about such a rejection. */
export const isRejection = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION';
