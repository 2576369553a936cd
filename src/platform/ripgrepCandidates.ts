import { join } from 'node:path';

/**
 * Where VS Code may keep its ripgrep, below its application folder (`vscode.env.appRoot`): the package changed its
 * name in 1.122, and desktop builds unpack it beside their archive.
 */
export function ripgrepCandidates(appRoot: string, platform: string = process.platform, architecture: string = process.arch): string[] {
  const program = platform === 'win32' ? 'rg.exe' : 'rg';
  const packages = [
    ['@vscode', 'ripgrep-universal', 'bin', `${platform}-${architecture}`],
    ['@vscode', 'ripgrep', 'bin'],
  ];
  return packages.flatMap((parts) => ['node_modules', 'node_modules.asar.unpacked'].map((modules) => join(appRoot, modules, ...parts, program)));
}
