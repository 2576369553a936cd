import * as vscode from 'vscode';
import path from 'node:path';

/**
 * Where VS Code keeps its own ripgrep: `ripgrep-universal` since 1.122, `ripgrep` before; outside of the archive on the
 * desktop. Not all exist; the engine takes the first that does.
 */
export function ripgrepCandidates(): string[] {
  const program = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const inPackage = [
    path.join('@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`, program),
    path.join('@vscode', 'ripgrep', 'bin', program),
  ];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((folder) => inPackage.map((file) => path.join(vscode.env.appRoot, folder, file)));
}
