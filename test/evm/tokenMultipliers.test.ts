import { encodeFunctionData } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createNodeRpc } from '../../src/venue/nodeRpc.ts';
import { createChain } from '../../src/wallet/chain.ts';
import { anvilPath, startAnvil } from './anvil.ts';
import { stockAbi, stockBytecode, tokenBytecode } from './contracts.ts';
import { transact } from './stage.ts';

const multiplier = 1_006_000_000_000_000_000n;

test.skipIf(anvilPath === null).each([
  ['of ERC-8056', stockBytecode.uiMultiplier, { ratio: multiplier, growth: null }],
  ['of xStocks', stockBytecode.getCurrentMultiplier, { ratio: null, growth: multiplier }],
  ['of dShares', stockBytecode.balancePerShare, { ratio: null, growth: multiplier }],
])('the multiplier %s is read from its contract', async (_, bytecode, expected) => {
  const node = await startAnvil();
  const rpc = createNodeRpc({ url: node.url, clock: systemClock });
  onTestFinished(() => rpc.close());
  const chain = createChain(rpc);
  const { contractAddress: to } = await transact(node, { data: bytecode });
  const data = encodeFunctionData({ abi: stockAbi, functionName: 'set', args: [multiplier] });
  await transact(node, { to, data });
  expect(await chain.multipliers(to)).toEqual(expected);
  const { contractAddress: plain } = await transact(node, { data: tokenBytecode });
  expect(await chain.multipliers(plain)).toEqual({ ratio: null, growth: null });
});
