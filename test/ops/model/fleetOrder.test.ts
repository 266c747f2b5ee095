import { expect, test } from 'vitest';
import { worstFirst, type Member } from '../../../src/ops/model/fleetOrder.ts';
import { BUSY } from '../../cli/commands/daemon/statuses.ts';

const well = { ...BUSY, alarms: [], differences: [], frozen: [], unknown: 0, ready: true, running: true };
const member = (name: string, more: Partial<Member> & { status?: Member['status'] } = {}): Member => ({
  name,
  answers: true,
  status: well,
  ...more,
});

test('daemons are listed with the worst first and with their faults', () => {
  const members = [
    member('well'),
    member('also well'),
    member('older', { status: { ...well, version: '0.0.1' } }),
    member('differs', { status: { ...well, differences: [{ asset: 'SPY', text: 'SPY' }] } }),
    member('frozen', { status: { ...well, frozen: [{ symbol: 'SPY', why: '' }] } }),
    member('dead', { answers: false, status: null }),
  ];
  expect(worstFirst(members, well.version).map(({ member: { name }, why }) => [name, ...why])).toEqual([
    ['dead', 'no answer'],
    ['frozen', 'frozen'],
    ['differs', 'differences'],
    ['older', 'another version'],
    ['also well'],
    ['well'],
  ]);
});
