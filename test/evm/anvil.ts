import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';
import { onTestFinished } from 'vitest';

const INSTALLED = fileURLToPath(
  new URL('node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url),
);

/** The node's program: `$ANVIL`, or the one that `npm run evm` has installed; null where there is neither. */
export const anvilPath: string | null = process.env['ANVIL'] ?? (existsSync(INSTALLED) ? INSTALLED : null);

if (anvilPath === null)
  console.warn(
    'skipped: anvil is not installed here. Set ANVIL to its path to run the tests on a real node.',
  );

export const CHAIN_ID = 143;
const START_LIMIT_MS = 10_000;

/** A JSON-RPC call that returns its result. @throws with the node's code and message */
export type Ask = <Result = unknown>(method: string, ...params: readonly unknown[]) => Promise<Result>;

export type Anvil = Readonly<{ url: string; ask: Ask; mine(blocks?: number): Promise<unknown> }>;

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** Starts a node that mines on command, and ends with its test. */
export async function startAnvil(...more: readonly string[]): Promise<Anvil> {
  if (anvilPath === null) throw new Error('anvil is not installed');
  const flags = ['--port', '0', '--chain-id', String(CHAIN_ID), '--no-mining', ...more];
  const node = spawn(anvilPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void node.kill());
  const url = `http://${await addressOf(node)}`;
  const ask = askOf(url);
  const mine = (blocks = 1) => ask('anvil_mine', quantity(blocks));
  return { url, ask, mine };
}

/** Address that the node reports to listen on. */
function addressOf(node: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const limit = setTimeout(() => reject(new Error(`anvil did not start: ${printed}`)), START_LIMIT_MS);
    node.once('exit', (code) => reject(new Error(`anvil ended with ${code}: ${printed}`)));
    node.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const address = /Listening on (\S+)/.exec(printed)?.[1];
      if (address === undefined) return;
      clearTimeout(limit);
      resolve(address);
    });
  });
}

type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code: number; message: string }> }>;

export const askOf =
  (url: string): Ask =>
  async <Result>(method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await reply.json()) as Answer;
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result as Result;
  };
