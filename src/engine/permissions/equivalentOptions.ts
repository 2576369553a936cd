/** Long names of short options that many programs share. */
const commonNames: Names = { force: 'f', recursive: 'r', global: 'g' };
type Names = { readonly [name: string]: string | undefined };

interface OptionHabits {
  /** What else an option is called; several letters: it is all of them. */
  readonly names: Names;
  /** Letters that are followed by a value. */
  readonly values?: string;
}

const recursive: Names = { R: 'r' };
/** Of programs that rules are often about. */
const habits: { readonly [program: string]: OptionHabits | undefined } = {
  rm: { names: { ...recursive, verbose: 'v', dir: 'd' } },
  cp: { names: { ...recursive, archive: 'a' } },
  chmod: { names: recursive },
  chown: { names: recursive },
  chgrp: { names: recursive },
  grep: { names: recursive },
  ln: { names: { symbolic: 's' } },
  git: { names: { delete: 'd', D: 'df', M: 'mf', 'no-verify': 'n' }, values: 'mCFcbBSo' },
  npm: { names: { 'save-dev': 'D' } },
  curl: { names: { output: 'o', 'remote-name': 'O', insecure: 'k', 'upload-file': 'T', data: 'd', request: 'X', form: 'F' }, values: 'oTdXFHuAbcDeK' },
  wget: { names: { 'output-document': 'O', 'directory-prefix': 'P' }, values: 'OPoaU' },
  tar: { names: { extract: 'x', get: 'x', create: 'c', file: 'f' }, values: 'fC' },
  kill: { names: { KILL: '9', SIGKILL: '9', TERM: '15', SIGTERM: '15' } },
  pkill: { names: { KILL: '9', SIGKILL: '9', full: 'f' } },
  docker: { names: { volumes: 'v', all: 'a' }, values: 'veup' },
  sudo: { names: {}, values: 'ughpCrtTUDR' },
};

export interface SortedWords {
  /** Short ones by their letter, others by their name, values left out. */
  readonly options: ReadonlySet<string>;
  /** All others, in order. */
  readonly others: readonly string[];
}

/** What comes behind a program's name, in a form in which other spellings of the same options are the same. Pure. */
export function sortedWords(program: string, words: readonly string[]): SortedWords {
  const { names = {}, values = '' } = habits[program] ?? {};
  const options = new Set<string>();
  const others: string[] = [];
  const add = (name: string): void => {
    for (const each of names[name] ?? commonNames[name] ?? [name]) options.add(each);
  };
  const end = words.indexOf('--');
  for (const word of end < 0 ? words : words.slice(0, end)) {
    if (word.startsWith('--')) add(fullName(word.slice(2).split('=')[0]!, names));
    else if (/^-[a-zA-Z0-9]/.test(word)) {
      const letters = word.slice(1);
      if (names[letters] !== undefined) add(letters);
      for (const letter of letters) {
        add(letter);
        // What follows is its value.
        if (values.includes(letter)) break;
      }
    } else others.push(word);
  }
  return { options, others: end < 0 ? others : [...others, ...words.slice(end + 1)] };
}

/** Most programs take the beginning of a long option for all of it. */
function fullName(name: string, names: Names): string {
  if (name === '' || names[name] !== undefined || commonNames[name] !== undefined) return name;
  return [...Object.keys(names), ...Object.keys(commonNames)].find((each) => each.length > 1 && each.startsWith(name)) ?? name;
}
