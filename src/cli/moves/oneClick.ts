import type { VenueClient } from '../../api/client.ts';
import type { EpochSeconds } from '../../core/brand.ts';
import {
  cashDepositBody,
  cashWithdrawalBody,
  depositFields,
  orderFields,
  repayBody,
  stockBody,
} from './bodies.ts';
import type { Submit } from './move.ts';

/** Through One Click: the venue sends for the wallet. `deadline`: of an order that is sent now. */
export const oneClick =
  (client: VenueClient, deadline: () => EpochSeconds): Submit =>
  (move) => {
    switch (move.kind) {
      case 'cashDeposit':
        return client.cashDepositSend({ body: cashDepositBody(move) });
      case 'cashWithdrawal':
        return client.cashWithdrawalSend({ body: cashWithdrawalBody(move) });
      case 'stockDeposit':
        return client.stockDepositSend({ body: stockBody(move) });
      case 'stockWithdrawal':
        return client.stockWithdrawalSend({ body: stockBody(move) });
      case 'repay':
        return client.repaySend({ body: repayBody(move) });
      case 'order': {
        const deferred = move.deferred ? { deferred: true } : {};
        return client.orderSend({ body: { ...orderFields(move.terms), ...deferred, deadline: deadline() } });
      }
      case 'orderWithDeposit':
        return client.orderWithDepositSend({
          body: { ...orderFields(move.terms), ...depositFields(move), deadline: deadline() },
        });
      case 'cancel':
        return client.orderCancelSend({ path: { orderId: move.orderId }, query: { deadline: deadline() } });
    }
  };
