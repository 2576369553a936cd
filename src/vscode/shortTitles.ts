import path from 'node:path';
import type { DescribeTool } from './toolItems.ts';

/** Cards name files as people do, from the folder they work in, and open them wherever they are. Commands stay word for word. */
export function shortTitles(describe: DescribeTool, cwd: string): DescribeTool {
  return (name, input) => {
    const { title, path: file } = describe(name, input);
    const shortTitle = name === 'Bash' ? title : title.replaceAll(cwd + path.sep, '').replace(` in ${cwd}`, '');
    return { title: shortTitle, path: file === undefined ? undefined : path.resolve(cwd, file) };
  };
}
