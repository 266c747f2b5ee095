import type { VenueClient } from '../../api/client.ts';
import type { EpochSeconds } from '../../core/brand.ts';
import * as bodies from './bodies.ts';
import type { Submit } from './move.ts';

/** Through One Click: the venue sends for the wallet. `deadline`: of an order that is sent now. */
export const oneClick =
  (client: VenueClient, deadline: () => EpochSeconds): Submit =>
  (move) => {
    switch (move.kind) {
      case 'cashDeposit':
        return client.cashDepositSend({ body: bodies.cashDepositBody(move) });
      case 'cashWithdrawal':
        return client.cashWithdrawalSend({ body: bodies.cashWithdrawalBody(move) });
      case 'stockDeposit':
        return client.stockDepositSend({ body: bodies.stockBody(move) });
      case 'stockWithdrawal':
        return client.stockWithdrawalSend({ body: bodies.stockBody(move) });
      case 'repay':
        return client.repaySend({ body: bodies.repayBody(move) });
      case 'order':
        return client.orderSend({ body: { ...bodies.orderBody(move), deadline: deadline() } });
      case 'orderWithDeposit':
        return client.orderWithDepositSend({
          body: { ...bodies.orderWithDepositBody(move), deadline: deadline() },
        });
      case 'cancel':
        return client.orderCancelSend({ path: { orderId: move.orderId }, query: { deadline: deadline() } });
    }
  };
