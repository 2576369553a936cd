#!/usr/bin/env node
// A dispatcher: what answers quickly loads nothing, the rest loads only what it needs.
const args = process.argv.slice(2);

if (args[0] === '--version' || args[0] === '-v') {
  process.stdout.write(`${process.env['TURNSTONE_VERSION'] ?? 'development'}\n`);
} else if (args.includes('--help') || args.includes('-h') || args.length === 0) {
  const [{ helpText }, { ownCommand }] = await Promise.all([import('./helpText.ts'), import('./ownCommand.ts')]);
  process.stdout.write(helpText(ownCommand()));
} else {
  const { default: nodeModule } = await import('node:module');
  // Compiled code is kept between runs where Node can do that (22.8 and later).
  nodeModule.enableCompileCache?.();
  const { run } = await import('./run.ts');
  process.exit(await run(args));
}

export {};
