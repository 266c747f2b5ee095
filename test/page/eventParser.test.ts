import { expect, test } from 'vitest';
import { EventParser } from '../../src/page/connection/connection.ts';

const STREAM =
  ': ping\n\nid: 6\n\nid: 7\nevent: entry\ndata: {"seq":7,"text":"a: b"}\n\nevent: price\ndata: {"symbol":"SPY"}\n\n';
const EVENTS = [
  { event: 'position', data: '', id: '6' },
  { event: 'entry', data: '{"seq":7,"text":"a: b"}', id: '7' },
  { event: 'price', data: '{"symbol":"SPY"}', id: null },
];

test('events are the same however the stream is cut', () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const parser = new EventParser();
    const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(
      pieces.flatMap((piece) => parser.take(piece)),
      `pieces of ${size}`,
    ).toEqual(EVENTS);
  }
});

test('an event that is cut off is not given', () => {
  expect(new EventParser().take(STREAM.slice(0, -1))).toEqual(EVENTS.slice(0, 2));
});
