import { parseAbi, parseEventLogs, parseGwei, zeroAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, test } from 'vitest';
import { eventAbi } from '../../src/emulator/state/events.ts';
import { closeAll, Trader } from './trader.ts';

const START = '2026-06-15T14:00:00Z';
afterEach(closeAll);

const erc20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
]);

describe('a wallet that sends its own transactions', () => {
  test('reads the chain through viem', async () => {
    const { reader, address, emulator } = await Trader.start();
    const { info } = emulator;
    expect(await reader.getChainId()).toBe(143);
    expect(await reader.getBlockNumber()).toBe(0n);
    expect(await reader.getBalance({ address })).toBe(100n * 10n ** 18n);
    expect(await reader.getTransactionCount({ address })).toBe(0);
    expect(await reader.getCode({ address })).toBeUndefined();
    expect(await reader.getCode({ address: info.contracts.router as Hex })).toBe('0xfe');
    const block = await reader.getBlock();
    expect(block).toMatchObject({
      number: 0n,
      timestamp: BigInt(Date.parse(START) / 1000),
      transactions: [],
    });
    expect((await reader.getBlock({ blockHash: block.hash })).number).toBe(0n);
    const token = { address: info.cashToken.address as Hex, abi: erc20 };
    expect(await reader.readContract({ ...token, functionName: 'balanceOf', args: [address] })).toBe(
      50_000_000_000n,
    );
    expect(await reader.readContract({ ...token, functionName: 'decimals' })).toBe(6);
    expect(await reader.readContract({ ...token, functionName: 'symbol' })).toBe('USDC');
    expect(await reader.readContract({ ...token, functionName: 'totalSupply' })).toBe(200_000_000_000n);
    const stock = { address: info.symbols[0]?.contractAddress as Hex, abi: erc20 };
    expect(await reader.readContract({ ...stock, functionName: 'balanceOf', args: [address] })).toBe(
      20n * 10n ** 18n,
    );
    expect(await reader.estimateFeesPerGas()).toMatchObject({ maxPriorityFeePerGas: parseGwei('2') });
  });

  test('approves, deposits, orders and records', async () => {
    const trader = await Trader.start();
    const { reader, wallet, address } = trader;
    const { cashToken, contracts, symbols } = trader.emulator.info;
    const router = contracts.router as Hex;
    const token = { address: cashToken.address as Hex, abi: erc20 };
    const approval = await wallet.writeContract({
      ...token,
      functionName: 'approve',
      args: [router, 500_000_000n],
    });
    const body = { userAddress: address, tokenAddress: cashToken.address, tokenAmount: '200' };
    const deposit = await trader.carryOut('/cash/deposits', body);
    const stockAddress = symbols[0]?.contractAddress;
    const order = await trader.carryOut('/orders', {
      stockAddress,
      side: 'Buy',
      type: 'Limit',
      quantity: '1',
      price: '1.00',
      timeInForce: 'DAY',
      deadline: await trader.deadline(),
    });
    expect(await reader.getTransactionCount({ address, blockTag: 'pending' })).toBe(3);
    expect(await reader.getTransactionCount({ address })).toBe(0);
    await expect(reader.getTransactionReceipt({ hash: deposit })).rejects.toThrow('could not be found');
    const link = await trader.post('/orders/tx', { txHash: order });
    expect(link).toMatchObject({ code: 200, data: { status: 'Pending', orderId: null } });
    await trader.wait(6_000);

    const receipts = await Promise.all(
      [approval, deposit, order].map((hash) => reader.getTransactionReceipt({ hash })),
    );
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(receipts[1]).toMatchObject({ gasUsed: 160_000n, to: router.toLowerCase() });
    const logs = receipts.flatMap((receipt) => parseEventLogs({ abi: eventAbi, logs: receipt.logs }));
    expect(logs.map(({ eventName }) => eventName)).toEqual([
      'Approval',
      'InstantDeposit',
      'LimitOrderPlaced',
    ]);
    expect(logs[1]?.args).toMatchObject({
      user: address,
      amount: 200_000_000n,
      creditAmount: 200n * 10n ** 18n,
    });
    const placed = logs[2]?.args as { orderId: Hex };
    expect(await reader.readContract({ ...token, functionName: 'allowance', args: [address, router] })).toBe(
      300_000_000n,
    );
    const gas = receipts.reduce(
      (sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice,
      0n,
    );
    expect(await reader.getBalance({ address })).toBe(100n * 10n ** 18n - gas);
    expect(receipts[0]?.effectiveGasPrice).toBe(parseGwei('52'));

    const found = await reader.getLogs({
      address: contracts.stock as Hex,
      event: eventAbi[1],
      args: { user: address },
      fromBlock: 0n,
      toBlock: 'latest',
    });
    expect(found).toMatchObject([{ transactionHash: order, args: { orderId: placed.orderId } }]);
    expect(await reader.getLogs({ fromBlock: 0n, toBlock: 0n })).toEqual([]);

    await trader.wait(4_000);
    expect(await trader.get(`/orders/${placed.orderId}`)).toMatchObject({
      mappingStatus: 'New',
      mapping: { txHash: order },
      openOrder: { placePrice: '1' },
    });
    const late = await trader.post('/cash/deposits/tx', { txHash: deposit });
    expect(late).toMatchObject({ code: 200, data: { status: 'success' } });
    expect((late.data as { operationId: unknown }).operationId).toBe((logs[1]?.args as { opId: Hex }).opId);
    expect(await trader.get('/cash/deposits')).toMatchObject({ total: 1 });
  });
});

const countOf = async ({ reader, address }: Trader) => [
  await reader.getTransactionCount({ address }),
  await reader.getTransactionCount({ address, blockTag: 'pending' }),
];

describe('the mempool', () => {
  test('mines the nonces of a wallet in order, and waits at a gap', async () => {
    const trader = await Trader.start();
    const last = await trader.send(await trader.signed({ nonce: 2 }));
    const second = await trader.send(await trader.signed({ nonce: 1 }));
    await trader.wait(20_000);
    expect(await countOf(trader)).toEqual([0, 0]);
    expect(await trader.reader.getTransaction({ hash: last as Hex })).toMatchObject({
      blockNumber: null,
      nonce: 2,
    });
    const first = await trader.send(await trader.signed());
    expect(await countOf(trader)).toEqual([0, 3]);
    await trader.wait(5_000);
    expect(await countOf(trader)).toEqual([3, 3]);
    const blocks = await Promise.all(
      [first, second, last].map(async (hash) => {
        const { blockNumber, transactionIndex } = await trader.reader.getTransactionReceipt({
          hash: hash as Hex,
        });
        return Number(blockNumber) * 10 + transactionIndex;
      }),
    );
    expect(blocks).toEqual([...blocks].sort((a, b) => a - b));
    expect(new Set(blocks).size).toBe(3);
  });

  test('recognises the same bytes while they are pending, and their nonce afterwards', async () => {
    const trader = await Trader.start();
    const raw = await trader.signed();
    expect(await trader.send(raw)).toMatch(/^0x/);
    expect(await trader.send(raw)).toBe('already known');
    await trader.wait(5_000);
    expect(await trader.send(raw)).toBe('nonce too low: next nonce 1, tx nonce 0');
  });

  test('replaces a transaction only with one that pays more', async () => {
    const trader = await Trader.start();
    const body = {
      stockAddress: trader.emulator.info.symbols[0]?.contractAddress,
      side: 'Buy',
      type: 'Market',
    };
    const { data } = await trader.post('/orders/calldata', {
      ...body,
      notional: '100',
      deadline: await trader.deadline(),
    });
    const order = { data: (data as { callData: Hex }).callData };
    const first = await trader.send(await trader.signed(order));
    expect(await trader.send(await trader.signed({ gas: 100_000n }))).toBe(
      'replacement transaction underpriced',
    );
    const fees = { maxFeePerGas: parseGwei('66'), maxPriorityFeePerGas: parseGwei('2.2') };
    const second = await trader.send(await trader.signed(fees));
    expect((await trader.node('eth_getTransactionByHash', first)).result).toBeNull();
    await trader.wait(5_000);
    expect(await trader.reader.getTransactionReceipt({ hash: second as Hex })).toMatchObject({
      status: 'reverted',
      effectiveGasPrice: parseGwei('52.2'),
    });
    expect((await trader.node('eth_getTransactionReceipt', first)).result).toBeNull();
    expect((await trader.truth()).orders).toEqual([]);
  });

  test.each<[message: string, fields: Parameters<Trader['signed']>[0]]>([
    ['invalid sender: invalid chain id for signer: have 1 want 143', { chainId: 1 }],
    ['intrinsic gas too low: gas 20999, minimum needed 21000', { gas: 20_999n }],
    ['nonce too high: tx nonce 65, gapped nonce 0', { nonce: 65 }],
    ['insufficient funds for gas * price + value', { value: 101n * 10n ** 18n }],
    ['exceeds block gas limit', { gas: 30_000_001n }],
  ])('refuses with "%s"', async (message, fields) => {
    const trader = await Trader.start();
    expect(await trader.node('eth_sendRawTransaction', await trader.signed(fields))).toMatchObject({
      error: { code: -32000, message },
    });
    expect(await countOf(trader)).toEqual([0, 0]);
  });

  test('counts pending transactions against the funds', async () => {
    const trader = await Trader.start();
    const amount = `-${(await trader.reader.getBalance({ address: trader.address })) / 10n ** 18n - 1n}`;
    await trader.control('/move', { userAddress: trader.address, asset: 'native', amount });
    const gas = 10_000_000n;
    expect(await trader.send(await trader.signed({ gas }))).toMatch(/^0x/);
    expect(await trader.send(await trader.signed({ gas, nonce: 1 }))).toBe(
      'insufficient funds for gas * price + value',
    );
  });

  test('drops a transaction that its wallet can no longer pay for', async () => {
    const trader = await Trader.start();
    const hash = await trader.send(await trader.signed());
    await trader.control('/move', { userAddress: trader.address, asset: 'native', amount: '-100' });
    await trader.wait(5_000);
    expect((await trader.node('eth_getTransactionByHash', hash)).result).toBeNull();
    expect(await countOf(trader)).toEqual([0, 0]);
  });

  test.each([
    ['0x01', 'rlp: not a transaction'],
    ['0x02c0', 'rlp: not a transaction'],
  ])('refuses %s as a transaction', async (raw, message) => {
    expect(await (await Trader.start()).send(raw as Hex)).toBe(message);
  });

  test('accepts a legacy transaction of this chain only', async () => {
    const trader = await Trader.start();
    const account = privateKeyToAccount(trader.emulator.info.accounts[3]?.privateKey as Hex);
    const common = {
      type: 'legacy',
      to: zeroAddress,
      value: 5n,
      gas: 21_000n,
      gasPrice: parseGwei('55'),
      nonce: 0,
    } as const;
    expect(await trader.send(await account.signTransaction(common))).toBe(
      'only replay-protected (EIP-155) transactions allowed over RPC',
    );
    const hash = await trader.send(await account.signTransaction({ ...common, chainId: 143 }));
    await trader.wait(5_000);
    expect(await trader.reader.getTransactionReceipt({ hash: hash as Hex })).toMatchObject({
      status: 'success',
      type: 'legacy',
      gasUsed: 21_000n,
      effectiveGasPrice: parseGwei('55'),
    });
    expect(await trader.reader.getBalance({ address: zeroAddress })).toBe(5n);
    expect(await trader.reader.getTransaction({ hash: hash as Hex })).toMatchObject({
      from: trader.address.toLowerCase(),
      gasPrice: parseGwei('55'),
      value: 5n,
    });
  });
});
