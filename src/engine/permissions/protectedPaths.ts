import { isInside, resolvePath } from '../../base/paths.ts';

export interface WritePlaces {
  readonly roots: readonly string[];
  readonly dataRoot: string;
}

/**
 * Why writing a file is asked about whatever rules and modes allow (but bypass): it lies outside, or it could run code
 * or widen rights later. The path is absolute, links resolved. Pure.
 */
export function whyWriteAsks(path: string, { roots, dataRoot }: WritePlaces): string | undefined {
  if (isInside(foldPath(dataRoot), foldPath(path))) return `${path} belongs to Turnstone itself.`;
  if (!roots.some((root) => isInside(root, path))) return `${path} is outside the workspace.`;
  const names = path.split(/[\\/]/).filter(Boolean);
  const folder = names.find((name) => isNamed(name, protectedFolders));
  if (folder !== undefined) return `Files in ${folder} can change what other programs do.`;
  const name = names.at(-1) ?? '';
  if (isNamed(name, protectedFiles) || foldName(name).endsWith('.code-workspace')) return `${name} is read when a shell or another program starts, and can make it run something.`;
  const hidden = names.find((each) => unseen.test(each));
  return hidden === undefined ? undefined : `The name ${JSON.stringify(hidden).replaceAll(unseenAll, escaped)} holds characters that cannot be seen.`;
}

/** Settings of shells, editors, git and agents. */
const protectedFolders = new Set(['.git', '.vscode', '.claude', '.turnstone', '.husky', '.ssh', '.gnupg', '.idea', '.devcontainer', '.cargo', '.mvn', '.hg', '.svn', '.zed', '.cursor', '.nvim', '.yarn']);
const protectedFiles = new Set([
  '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.kshrc', '.cshrc', '.tcshrc', '.login', '.zshrc', '.zprofile', '.zshenv', '.zlogin', '.zlogout', 'config.fish', 'profile.ps1', 'microsoft.powershell_profile.ps1', '.xprofile', '.xinitrc', '.xsessionrc', '.pam_environment',
  // Makes its folder a repository, whose settings git obeys.
  'head',
  '.gitconfig', '.gitmodules', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.envrc', '.mcp.json', '.pnpmfile.cjs', '.pre-commit-config.yaml', '.vimrc', '.exrc', '.nvimrc', '.nvim.lua', '.lvimrc', '.dir-locals.el', '.emacs', '.gdbinit', '.lldbinit', '.tmux.conf', '.screenrc', '.inputrc', '.netrc', '_netrc', '.curlrc', '.wgetrc', 'bunfig.toml',
]);

// Control characters, and what turns or hides text: zero width, direction, variation.
const unseenClass = '[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029]';
const unseen = new RegExp(`${unseenClass}|^\\s|\\s$`, 'u');
const unseenAll = new RegExp(unseenClass, 'gu');

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function isNamed(name: string, names: ReadonlySet<string>): boolean {
  const folded = foldName(name);
  if (names.has(folded)) return true;
  // The short name that Windows gives to a longer one: GIT~1.
  const short = /^\.?([^.~]{2,6})~\d+(\.|$)/.exec(folded)?.[1];
  return short !== undefined && [...names].some((each) => each.replaceAll('.', '').startsWith(short));
}

/**
 * A name as the most forgiving file system takes it: case, forms and invisible characters do not count, nor do dots and
 * blanks at its end, nor a stream behind a colon. Letters of other alphabets that look like Latin ones count as those:
 * such a file is another one, but nobody would see it.
 */
function foldName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is what is asked
  const plain = /^[\0-\x7f]*$/.test(name) ? name : name.normalize('NFKC').replaceAll(unseenAll, '').replaceAll(/\p{L}/gu, (letter) => lookAlikes[letter] ?? letter).toUpperCase();
  return plain.toLowerCase().replace(/(?<=.):.*$/s, '').replace(/[. ]+$/, '');
}

function foldPath(path: string): string {
  return resolvePath(path, '.').split(/[\\/]/).map((name) => foldName(name) || name).join('/');
}

const lookAlikes: { readonly [letter: string]: string | undefined } = {
  а: 'a', с: 'c', ԁ: 'd', е: 'e', ɡ: 'g', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', т: 't', о: 'o', р: 'p', ѕ: 's', ѵ: 'v', х: 'x', у: 'y', α: 'a', ι: 'i', ο: 'o', ρ: 'p', τ: 't', υ: 'u', ν: 'v',
};
