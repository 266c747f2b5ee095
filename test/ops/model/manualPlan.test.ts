import { expect, test } from 'vitest';
import { tokenOf } from '../../../src/ops/model/manualPlan.ts';
import { Stage } from '../../engine/stage.ts';

test.each([undefined, 'USDC'])(
  'cash cannot be moved by a run that knows no cash token (--token %s)',
  (cashToken) => {
    const { context } = new Stage().runner.kernel;
    expect(() => tokenOf(context, { kind: 'cashDeposit', amount: '100', cashToken })).toThrow(
      /^this run knows no cash token: the venue lists none, or the account is simulated, as in a dry run$/,
    );
  },
);
