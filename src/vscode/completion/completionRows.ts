import type { Completion } from '../../protocol/chatView.ts';
import type { SlashCommandInfo } from '../../sdk/index.ts';

/** More are not looked at by anybody. */
const maxRows = 50;

/** Pure: commands whose name begins with the prefix, then those that have it further in. `prefix` is without the slash. */
export function commandRows(commands: readonly SlashCommandInfo[], prefix: string): Completion[] {
  const wanted = prefix.toLowerCase();
  const rank = ({ name }: SlashCommandInfo): number => name.toLowerCase().indexOf(wanted);
  return commands
    .filter((command) => rank(command) >= 0)
    .sort((one, other) => Math.sign(rank(one)) - Math.sign(rank(other)))
    .slice(0, maxRows)
    .map(({ name, argumentHint, description }) => ({
      insert: argumentHint === undefined ? `/${name}` : `/${name} `,
      label: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
      detail: description,
    }));
}

/** Pure: files as mentions, the best match first. Paths are relative, with slashes; `prefix` is without the `@`. */
export function fileRows(paths: readonly string[], prefix: string): Completion[] {
  const wanted = prefix.toLowerCase();
  const rank = (path: string): number => {
    const whole = path.toLowerCase();
    const name = whole.slice(whole.lastIndexOf('/') + 1);
    if (name.startsWith(wanted)) return 0;
    return name.includes(wanted) ? 1 : whole.startsWith(wanted) ? 2 : 3;
  };
  return [...new Set(paths)]
    .map((path, index) => ({ path, index, rank: rank(path) }))
    // Without a prefix they come in an order of their own: what is open goes first.
    .sort((one, other) => one.rank - other.rank || (wanted === '' ? one.index - other.index : one.path.length - other.path.length) || one.index - other.index)
    .slice(0, maxRows)
    .map(({ path }) => ({ insert: /[\s"`]|[.,;:!?)\]}'>]$/.test(path) ? `@"${path}" ` : `@${path} `, label: path.slice(path.lastIndexOf('/') + 1), detail: path }));
}

/** Pure: a glob for files whose path has this in it, in any case; each part of it in a folder of its own. */
export function fileGlob(prefix: string): string {
  const parts = prefix.replace(/^\.?\/+/, '').split('/').map(anyCase);
  return `**/${parts.map((part, index) => (index === parts.length - 1 ? `*${part}*` : index === 0 ? `*${part}` : part)).join('/')}`;
}

function anyCase(text: string): string {
  return Array.from(text, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
    return /[*?{}[\]!,\\]/.test(letter) ? '?' : letter;
  }).join('');
}
