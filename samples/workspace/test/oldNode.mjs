// Node 22.18 and later run .ts files by themselves. The files here carry their types in comments,
// so for an older Node it is enough to say that .ts files are modules.
import { register } from 'node:module';

if (!process.features.typescript) {
  const hooks = `
    import { readFile } from 'node:fs/promises';
    import { fileURLToPath } from 'node:url';
    export async function load(url, context, next) {
      if (!url.endsWith('.ts')) return next(url, context);
      return { format: 'module', source: await readFile(fileURLToPath(url)), shortCircuit: true };
    }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
