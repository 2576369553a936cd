import fs from 'node:fs';
import path from 'node:path';

/**
 * Makes a link to an extension in `folder` and returns its path. The host is kept within the project's folder, and VS Code
 * takes what lies below an extension for a part of it: given the project itself, it would not find its own themes and
 * would leave the user's settings for them unused.
 */
export function linkExtension(extension, folder) {
  const link = path.join(folder, 'extension');
  fs.symlinkSync(extension, link, 'dir');
  return link;
}
