// Goes back to before m1 and stands still before it writes one file, until it is killed.
//   rewindAndStop.ts <root of a desk> <file>
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { Desk } from '../unit/engine/fileHistory/support.ts';

const [root, file] = process.argv.slice(2) as [string, string];
const desk = await Desk.on(root, {
  ...nodeFileSystem,
  writeFile: (path, bytes, options) => {
    if (path !== file) return nodeFileSystem.writeFile(path, bytes, options);
    process.stdout.write('there\n');
    return new Promise(() => {});
  },
});
setInterval(() => {}, 1_000);
await desk.rewind('m1');
