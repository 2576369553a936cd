import fs from 'node:fs';
import path from 'node:path';

/** The full path of a program on the PATH, or undefined. */
export function findOnPath(program) {
  const names = process.platform === 'win32' ? [`${program}.cmd`, `${program}.exe`] : [program];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
