// What it costs at least to look at many files: each is opened once and a little of it read, sixteen at a time.
//   statFiles.mjs <folder>
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const start = performance.now();
const names = await readdir(folder);
const buffer = new Uint8Array(4096);
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const file = await open(join(folder, name));
      await file.stat();
      await file.read(buffer, 0, buffer.length, 0);
      await file.close();
    }
  }),
);
console.log(JSON.stringify({ wallMs: performance.now() - start }));
