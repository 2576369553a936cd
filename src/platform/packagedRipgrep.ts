import { access, constants } from 'node:fs/promises';

/**
 * The ripgrep that npm has installed beside us, absolute; undefined where it has not. The package is optional and never
 * bundled: it throws while it is loaded when there is no program for this platform.
 */
export async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    await access(rgPath, constants.X_OK);
    return rgPath;
  } catch {
    // Not installed: the folders are walked instead.
    return undefined;
  }
}
