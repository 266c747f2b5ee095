import { afterAll, beforeAll, expect } from 'vitest';
import { readFileSync, appendFileSync } from 'node:fs';
const stat = () => { const s = readFileSync('/proc/self/stat','utf8').split(') ')[1]!.split(' '); return { self: (Number(s[11])+Number(s[12]))/100, kids: (Number(s[13])+Number(s[14]))/100 }; };
const w = globalThis as any;
const start = w.__cpuLast ?? { self: 0, kids: 0 };
let atImport: any;
beforeAll(() => { atImport = stat(); });
afterAll(() => {
  const end = stat();
  w.__cpuLast = end;
  appendFileSync(process.env['CPU_LOG'] ?? '/tmp/cpu.jsonl', JSON.stringify({ file: expect.getState().testPath, pid: process.pid, load: atImport.self - start.self, tests: end.self - atImport.self, kids: end.kids - start.kids }) + '\n');
});
