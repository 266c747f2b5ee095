import { expect, test } from 'vitest';
import { VERSION } from '../../../src/core/version.ts';
import { workersText, type SeenWorker } from '../../../src/lab/queue/workers.ts';

const worker = (name: string, given: Partial<SeenWorker> = {}): SeenWorker => ({
  id: name,
  name,
  version: VERSION,
  threads: 2,
  trials: 100,
  busyMs: 20_000,
  silentMs: 1_000,
  ...given,
});

test.each([
  [[], 'there is no worker: start one with `drover worker --queue …`'],
  [[worker('a:1')], '1 worker, slowest a:1 (10 trials/s)'],
  [[worker('a:1'), worker('b:2', { trials: 41 })], '2 workers, slowest b:2 (4.1 trials/s)'],
  [[worker('a:1'), worker('b:2', { trials: 0 })], '2 workers, slowest a:1 (10 trials/s)'],
  [[worker('a:1', { trials: 1 }), worker('b:2', { silentMs: 12_400 })], '2 workers, b:2 silent for 12 s'],
  [
    [worker('a:1'), worker('b:2', { version: '0.1.0' })],
    '1 worker, slowest a:1 (10 trials/s), and 1 of another version of drover, which get no trials',
  ],
])('the text for workers %j is: %s', (workers, text) => {
  expect(workersText(workers)).toBe(text);
});
