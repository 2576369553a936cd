import type { ShellReading, ShellWord } from './shellCommand.ts';
import { nameOf, possibleCommands } from './shellWrappers.ts';

/** Commands of git that show what files hold or held. */
const showing = new Set(['show', 'diff', 'whatchanged', 'stash', 'cat-file', 'format-patch', 'fast-export', 'archive', 'bundle', 'difftool', 'range-diff', 'diff-tree', 'diff-index', 'diff-files', 'checkout-index', 'worktree', 'clone', 'unpack-file', 'merge-tree', 'request-pull', 'rerere', 'am']);
const patchOption = /^(-[puUSGLcm].*|--(patch|u|cc|dd|bi|word-|pickaxe|full-diff|function-c|color-w|raw-diff|remerge|diff-m).*)$/;

/** Whether it shows what git keeps of files that no word of it names. Pure. */
export function showsTracked(reading: ShellReading): boolean {
  return reading.commands.some(({ words }) => possibleCommands(words).some((command) => nameOf(command) === 'git' && showsContent(command) && !isLimited(command)));
}

function showsContent(words: readonly ShellWord[]): boolean {
  const values = words.slice(1).map(({ value }) => value);
  if (values.some((value) => value === 'status' || value === 'commit') && values.some((value) => /^(-\w*v|--verb)/.test(value))) return true;
  return values.some((value) => showing.has(value)) || (values.some((value) => value === 'log' || value === 'reflog') && values.some((value) => patchOption.test(value)));
}

/** To paths that say themselves what they are: git has patterns of its own. */
function isLimited(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(({ value }) => value === '--');
  const paths = at < 0 ? [] : words.slice(at + 1);
  return paths.length > 0 && paths.every(({ value, isFixed, hasGlob }) => isFixed && !hasGlob && !/[*?[:\\]/.test(value) && value !== '.');
}
