/**
 * Pure helpers for absolute paths of either kind of system; the engine has no `node:path`. A path is a Windows one
 * when it starts with a drive or a share; elsewhere a backslash is a letter like any other.
 */

/** It starts with a drive or a share. */
export function isWindowsPath(path: string): boolean {
  return /^([a-zA-Z]:([\\/]|$)|\\\\)/.test(path);
}

function splitter(path: string): RegExp {
  return isWindowsPath(path) ? /[\\/]+/ : /\/+/;
}

function separator(path: string): string {
  return isWindowsPath(path) ? '\\' : '/';
}

/** True for `/x`, `C:\x`, `\\server\share`. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || isWindowsPath(path);
}

/** Joins and resolves `.` and `..`; an absolute `path` stands for itself. */
export function resolvePath(folder: string, path: string): string {
  const joined = isAbsolutePath(path) ? path : `${folder}/${path}`;
  const windows = isWindowsPath(joined);
  const root = windows ? /^(\\\\|[a-zA-Z]:[\\/]?)/.exec(joined)![0].replace(/\/$/, '\\') : joined.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of joined.slice(root.length).split(splitter(joined))) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return root + parts.join(separator(joined));
}

/** Folder of a path; of a root the root itself. */
export function parentPath(path: string): string {
  return resolvePath(path, '..');
}

export function baseName(path: string): string {
  return pathNames(path).at(-1) ?? path;
}

/** The names that a path is made of, from the root down; of a Windows path the drive or server is the first. */
export function pathNames(path: string): string[] {
  return path.split(splitter(path)).filter(Boolean);
}

/** `path` is `folder` or lies in it. Both absolute, links resolved by the caller. */
export function isInside(folder: string, path: string): boolean {
  const base = resolvePath(folder, '.');
  const target = resolvePath(path, '.');
  return target === base || target.startsWith(withSeparator(base));
}

/** Path as the user knows it: relative to the folder when inside, else as it is. */
export function displayPath(folder: string, path: string): string {
  const base = resolvePath(folder, '.');
  if (path === base || !isInside(base, path)) return path;
  return resolvePath(path, '.').slice(withSeparator(base).length);
}

/** Only a root ends with one already. */
function withSeparator(resolved: string): string {
  const end = separator(resolved);
  return resolved.endsWith(end) ? resolved : resolved + end;
}
