import type { Command } from 'commander';
import { numberOrText, portNumber, wholeNumber, withExamples, type Wire } from '../../wire.ts';

/** `drover run` and `drover emulator` */
export function addRunners(program: Command, wire: Wire): void {
  const run = program
    .command('run')
    .description('run the strategies of a config')
    .argument('[config]', 'config file (default: config/emulator.yaml)')
    .option('--mode <mode>', 'emulator, dry-run or live, overriding the config')
    .option('--live', 'confirm trading with real money; required in mode live')
    .option('--start <time>', 'emulator: start of the day, New York time or with a zone')
    .option('--speed <times>', 'emulator: multiple of real speed, or max', numberOrText)
    .option('--nights <how>', 'emulator: skip or wait; skip runs through the nights as fast as it can')
    .option(
      '--until <when>',
      'close, sessions:N or a time (default: close; with a state folder, until stopped)',
    )
    .option('--state <dir>', 'folder for everything that must survive a restart')
    .option('--seed <n>', 'emulator: seed of the prices', numberOrText)
    .option('--listen <host:port>', 'serve the control API over TCP too, with tokens; port 0 picks one')
    .option('--faults <file>', 'emulator: JSON fault plan, active from the start')
    .option('--after-crashes', 'start even though the last runs crashed one after the other');
  wire(run, async () => (await import('./run.ts')).runCommand);
  withExamples(
    run,
    ['run my.yaml --state state', 'continue where the state folder stopped'],
    ['run --start 2026-06-15T09:25 --speed 60 --until close', 'a day of the emulator in minutes'],
    ['run base.yaml --config live.yaml --live', 'real money; settings in live.yaml take precedence'],
  );
  const emulator = program
    .command('emulator')
    .description('run the emulated venue by itself')
    .option('--port <port>', 'port of the venue; 0 picks one', portNumber)
    .option('--control-port <port>', 'port of the control interface (loopback only); 0 picks one', portNumber)
    .option('--rpc-port <port>', "port of the chain's node; 0 picks one", portNumber)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--start <time>', 'first instant, New York time or with a zone')
    .option(
      '--speed <times>',
      'multiple of real speed; with 0 only the control port moves the clock',
      numberOrText,
    )
    .option('--seed <n>', 'seed of the prices', wholeNumber)
    .option('--stocks <n>', 'number of listed stocks; any beyond 15 are invented (default: 15)', wholeNumber)
    .option('--faults <file>', 'JSON fault plan, active from the start')
    .option('--state <dir>', 'folder for its state; given again, it continues where it stopped');
  wire(emulator, async () => (await import('../../../app/run/emulator.ts')).emulatorCommand);
  withExamples(emulator, [
    'emulator --port 8080 --state venue',
    'a venue on this machine that survives a restart',
  ]);
}
