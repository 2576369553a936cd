/**
 * Paths as text, for POSIX and for Windows (recognised by a drive letter or a leading `\\`). The engine has no
 * `node:path`: it may run where there is none, and what it decides must not depend on the machine.
 */

/** Absolute and without `.` and `..`; relative paths count from `cwd`. */
export function resolvePath(cwd: string, path: string): string {
  return normalise(isAbsolutePath(path) ? path : `${cwd}/${path}`, isWindowsPath(cwd));
}

export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || isWindowsPath(path);
}

export function parentPath(path: string): string {
  const cut = lastSeparator(path);
  if (cut < 0) return '.';
  const root = /^[A-Za-z]:[\\/]$/.test(path.slice(0, cut + 1)) || cut === 0;
  return path.slice(0, root ? cut + 1 : cut);
}

export function baseName(path: string): string {
  return path.slice(lastSeparator(path) + 1);
}

/** With the dot, lower case: ".png"; '' when there is none. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

/** As people write it: relative to `cwd` where it is inside, else whole. */
export function displayPath(cwd: string, path: string): string {
  if (path === cwd) return '.';
  const isInside = path.startsWith(cwd) && /[\\/]/.test(path[cwd.length] ?? '');
  return isInside ? path.slice(cwd.length + 1) : path;
}

function isWindowsPath(path: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');
}

function lastSeparator(path: string): number {
  // On POSIX a backslash is a character like any other.
  return isWindowsPath(path) ? Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) : path.lastIndexOf('/');
}

function normalise(path: string, windows: boolean): string {
  const isWindows = windows || isWindowsPath(path);
  const separator = isWindows ? '\\' : '/';
  const root = isWindows ? (/^(?:[A-Za-z]:|\\\\[^\\/]+[\\/][^\\/]+)[\\/]?/.exec(path)?.[0] ?? '') : '/';
  const parts: string[] = [];
  for (const part of path.slice(root.length).split(isWindows ? /[\\/]/ : '/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  const start = root === '' || /[\\/]$/.test(root) ? root : root + separator;
  return start + parts.join(separator);
}
