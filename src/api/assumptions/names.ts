/** An object of the API with names that the venue's documentation leaves open. */
type WireObject = Readonly<{
  /** Place of the object in the API, for people. */
  where: string;
  /** Fields by the names of this program, each with its meaning and unit. */
  names: Readonly<Record<string, string>>;
}>;

/** All such objects: a request's names are translated before signing, a response's before parsing. */
export const OBJECTS = {
  sent: {
    where: 'the answer of every /send',
    names: { txHash: 'hash of the transaction that the venue submitted', uuid: 'id of the request' },
  },
  recordTx: {
    where: 'the body of every /tx that links a transaction to the key',
    names: { txHash: 'hash of the transaction' },
  },
  orderDetail: {
    where: 'an order of GET /orders, /orders/{orderId} and /orders/tx/{txHash}',
    names: {
      mappingStatus: 'status of the link',
      orderStatus: 'status of the order',
      mapping: 'the link from the transaction to the key',
      openOrder: 'the order while it is open',
      historyOrder: 'the order once it has ended',
    },
  },
  link: {
    where: 'the link from a transaction to the key, in orders and transfers',
    names: {
      txHash: 'hash of the transaction',
      operationType: 'purpose of the transaction',
      status: 'status of the link',
      orderId: 'id of the order, once the indexer has seen it',
      operationId: 'id of the transfer, once the indexer has seen it',
      createTime: 'time of the link',
    },
  },
  depositOrder: {
    where: 'the body of /orders/with-deposit/send and /calldata, beside the order',
    names: { tokenAddress: 'cash token of a buy', tokenAmount: 'whole tokens to deposit first' },
  },
  cashWithdrawal: {
    where: 'the body of /cash/withdrawals/send',
    names: { tokenAddress: 'cash token to pay out in', creditAmount: 'mUSD to withdraw' },
  },
  withdrawalOperation: {
    where: 'a withdrawal of /cash/withdrawals',
    names: {
      operationId: 'id of the withdrawal',
      userAddress: 'wallet',
      tokenAddress: 'cash token paid out',
      status: 'status of the transfer',
      isInstant: 'true when it was not queued',
      amount: 'whole tokens paid out',
      creditAmount: 'mUSD withdrawn',
      feeAmount: 'fee',
      createTxHash: 'hash of the transaction that asked for it',
      settleTxHash: 'hash of the transaction that paid it',
    },
  },
  stockMove: {
    where: 'the body of /stock/deposits and /stock/withdrawals, /send and /calldata',
    names: {
      userAddress: 'wallet (of /calldata)',
      tokenAddress: 'contract of the stock',
      tokenAmount: 'shares to move',
    },
  },
  stockDetail: {
    where: 'a row of /stock/deposits and /stock/withdrawals',
    names: {
      mappingStatus: 'status of the link',
      operationStatus: 'status of the stock transfer',
      mapping: 'the link from the transaction to the key',
      stockOperation: 'the stock transfer, once the indexer has seen it',
    },
  },
  stockOperation: {
    where: 'what was moved, in a row of /stock/deposits and /stock/withdrawals',
    names: {
      operationId: 'id of the stock transfer',
      userAddress: 'wallet',
      tokenAddress: 'contract of the stock',
      stockSymbol: 'symbol of the stock',
      status: 'status of the transfer',
      amount: 'shares moved',
      createTxHash: 'hash of the transaction that asked for it',
    },
  },
  repayment: {
    where: 'the body of /deferred-sell/repay/send and /calldata',
    names: {
      userAddress: 'wallet (of /calldata)',
      stockAddress: 'contract of the stock',
      quantity: 'shares to repay',
    },
  },
  debt: {
    where: 'a row of /deferred-sell/debts',
    names: {
      stockAddress: 'contract of the stock',
      stockSymbol: 'symbol of the stock',
      debtQuantity: 'shares owed',
    },
  },
  delegationChanged: {
    where: 'the answer of /1ct/enable and /1ct/disable',
    names: { status: 'true when the delegation is in force from now on' },
  },
  cashierBuffer: {
    where: 'cashierBuffer of /config',
    names: {
      creditBuffer: 'mUSD that instant deposits may still take',
      creditBufferCapacity: 'capacity of that buffer, in mUSD',
      instantThresholdDivisor: 'a deposit of at most buffer / divisor is instant',
    },
  },
  exchangeFees: {
    where: 'exchangeFeeConfig of /config',
    names: {
      chainId: 'chain that the fees are for',
      productType: 'product that the fees are for',
      buyMintFeeBps: 'mint fee of a buy, in hundredths of a percent',
      buyProtocolFeeBps: 'protocol fee of a buy, in hundredths of a percent',
      sellProtocolFeeBps: 'protocol fee of a sell, in hundredths of a percent',
    },
  },
  cashToken: {
    where: 'a row of cashierTokenConfig of /config',
    names: {
      tokenAddress: 'contract of the cash token',
      symbol: 'symbol of the cash token',
      decimals: 'decimals of the cash token',
      minAmount: 'smallest deposit, in whole tokens',
      depositPaused: 'true while deposits are paused',
      withdrawPaused: 'true while withdrawals are paused',
      depositFeeBps: 'fee of a deposit, in hundredths of a percent',
      withdrawFeeBps: 'fee of a withdrawal, in hundredths of a percent',
      withdrawalBuffer: 'whole tokens that instant withdrawals may still take',
      withdrawalBufferCapacity: 'capacity of that buffer, in whole tokens',
    },
  },
  onChain: {
    where: 'onChain of GET /prices/{symbol}',
    names: { price: 'mUSD a token', multiplier: 'shares that one token stands for' },
  },
  actionQuery: {
    where: 'the query of /corporate-action',
    names: { symbols: 'symbols, separated by commas', start: 'first day', end: 'last day' },
  },
  corporateAction: {
    where: 'a row of /corporate-action',
    names: {
      symbol: 'symbol of the stock',
      type: 'kind of the action',
      exDate: 'ex-date: first day on which a buyer no longer gets it',
      recordDate: 'record date: holders of that day get it',
      payableDate: 'day on which it is paid',
      oldRate: 'shares before a split',
      newRate: 'shares after it',
      cashPerShare: 'USD a share',
    },
  },
} as const satisfies Readonly<Record<string, WireObject>>;

export type ObjectName = keyof typeof OBJECTS;
export const OBJECT_NAMES = Object.keys(OBJECTS) as readonly ObjectName[];

/** Words of the API that are no proof by themselves, by the field that contains them. */
export const WORDS = {
  operationType: {
    where: 'operationType of a link: what its transaction is for',
    words: ['trade', 'deposit', 'withdraw', 'stock_deposit', 'stock_withdraw', 'deferred_repay'],
  },
  actionType: {
    where: 'type of a corporate action',
    words: ['forward_split', 'reverse_split', 'cash_dividend', 'spin_off'],
  },
} as const;
export type WordField = keyof typeof WORDS;

/** Words and texts that prove that something ended or never began. A config may accept fewer, never more. */
export const PROOFS = {
  orderEnds: {
    where: 'status words that end an order (and a reverted transaction)',
    words: ['Filled', 'Canceled', 'Expired', 'Rejected', 'Failed'],
  },
  transferEnds: {
    where: 'status words that end a deposit, a withdrawal or a move of stock',
    words: ['success', 'failed', 'Failed'],
  },
  refusals: {
    where: 'texts of a refusal that prove that nothing was sent, by what they are about',
    words: ['session', 'day-only', 'deadline', 'deferred', 'delegation', 'signature', 'cancel', 'validation'],
  },
} as const;
export type ProofName = keyof typeof PROOFS;
