import { braceExpand } from 'minimatch';
import { forEachChild, parse } from 'unbash';
import type { Assignment, Command, DoubleQuotedChild, HereDocBody, HereString, ParsedScript, Redirect, SyntaxNode, Word, WordPart } from 'unbash';

export interface ShellWord {
  /** Quotes removed; what is put in when it runs stands there as it is written. */
  readonly value: string;
  readonly source: string;
  /** Nothing is put in when it runs, but file names for stars. */
  readonly isFixed: boolean;
  readonly hasGlob: boolean;
}

export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

export interface SimpleCommand {
  readonly assignments: readonly ShellWord[];
  /** The command's name first; empty where only variables are set. */
  readonly words: readonly ShellWord[];
}

/** What a command line does, as far as reading it tells. */
export interface ShellReading {
  /** All of them, also those of substitutions, loops and functions. */
  readonly commands: readonly SimpleCommand[];
  /** Of files; copies of descriptors are left out. */
  readonly redirects: readonly ShellRedirect[];
  /** Texts that are given to a command as its input, here-documents too. */
  readonly inputs: readonly ShellWord[];
  /** What keeps it from being told what it runs. */
  readonly doubts: readonly string[];
  /** Not even the commands in it are known for certain. */
  readonly isOpaque: boolean;
  /** It was not looked through, or there is more in it than is looked at. */
  readonly isTooMuch?: boolean | undefined;
}

/** Longer command lines are not read: a deeply nested one takes seconds. UTF-16 units. */
const maxLength = 10_000;

/** Words that braces make of one. */
const maxExpanded = 100;
/** In one word. */
const maxBraces = 12;

/** Reads a command line with bash's grammar, runs nothing, never throws. */
export function readShell(command: string): ShellReading {
  if (command.length > maxLength || countOf(opening, command) > maxOpenings || countOf(/[${]/g, command) > maxExpansions || countOf(/\(/g, command) > maxGroups) return tooMuch;
  // oxlint-disable-next-line no-control-regex -- the range is what is asked
  if (/[\0-\x08\x0b-\x1f\x7f]|\p{Cf}|[\u00a0\u2000-\u200f\u2028\u2029]/u.test(command)) return opaque('It holds characters that cannot be seen.');
  if (evaluatedLater.test(command)) return opaque(substitution);
  try {
    const reading = new Reader().read(parse(command));
    return isMore(reading) ? tooMuch : reading;
  } catch {
    return opaque('It could not be read as a shell command.');
  }
}

/** What may begin something within something: each of them can have all the rest looked through once more. */
const opening = /[$<>]\(|\$\{|`/g;
const maxOpenings = 60;
/** Variables and braces. */
const maxExpansions = 300;
const maxGroups = 500;
/** Beyond these a line takes too long to be judged. */
const maxCommands = 100;
const maxWords = 500;
/** `=`, `@` and `:`, at each of which a path may begin. */
const pathSigns = /[=@:]/g;
const maxPathSigns = 300;

const tooMuch: ShellReading = { ...opaque('There is more in the command line than can be looked through.'), isTooMuch: true };

function isMore({ commands, redirects, inputs }: ShellReading): boolean {
  const words = [...commands.flatMap((command) => [...command.assignments, ...command.words]), ...redirects.map(({ target }) => target)];
  if (commands.length > maxCommands || words.length + inputs.length > maxWords) return true;
  return words.reduce((sum, { value }) => sum + countOf(pathSigns, value), 0) > maxPathSigns;
}

function countOf(sign: RegExp, text: string): number {
  return text.match(sign)?.length ?? 0;
}

/** `${x@P}` runs what is in the variable; within (( )) even quoted text is run. */
const evaluatedLater = /\$\{[^}]*@P\}|\(\([^)]*['"][^)]*(\$\(|`)/;

function opaque(doubt: string): ShellReading {
  return { commands: [], redirects: [], inputs: [], doubts: [doubt], isOpaque: true };
}

class Reader {
  readonly #commands: SimpleCommand[] = [];
  readonly #redirects: ShellRedirect[] = [];
  readonly #inputs: ShellWord[] = [];
  readonly #doubts = new Set<string>();
  #isOpaque = false;

  read(script: ParsedScript): ShellReading {
    this.#visit(script);
    return { commands: this.#commands, redirects: this.#redirects, inputs: this.#inputs, doubts: [...this.#doubts], isOpaque: this.#isOpaque };
  }

  #visit(node: SyntaxNode): void {
    if (node.type === 'Script' && (node as ParsedScript).errors?.length) {
      this.#isOpaque = true;
      this.#doubts.add('It could not be read as a shell command.');
    }
    if (node.type === 'Command') this.#takeCommand(node);
    if (node.type === 'Redirect') this.#takeRedirect(node);
    const given = node.type === 'HereString' ? (node as HereString).target : undefined;
    if (given) this.#inputs.push(wordOf(given));
    if (node.type === 'HereDocBody') this.#inputs.push({ value: (node as HereDocBody).text, source: '', isFixed: true, hasGlob: false });
    if (node.type === 'TestUnary') this.#checkEvaluated([wordOf(node.operand)]);
    if (node.type === 'TestBinary') this.#checkEvaluated([wordOf(node.left), wordOf(node.right)]);
    const doubt = doubtfulNodes[node.type];
    if (doubt !== undefined) this.#doubts.add(doubt);
    forEachChild(node, (child) => this.#visit(child));
  }

  #takeCommand(node: Command): void {
    const words = [...(node.name ? [wordOf(node.name)] : []), ...node.args.flatMap((word) => (word.type === 'Word' ? this.#wordsOf(word) : assignmentWord(word)))];
    const assignments = node.prefix.filter((each): each is Assignment => each.type === 'Assignment').map(assignmentWord);
    if (words.length > 0 || assignments.length > 0) this.#commands.push({ assignments, words });
    const [name] = words;
    // PS4 and its like are expanded later.
    this.#checkEvaluated(!name || evaluating.has(name.value) ? [...assignments, ...words] : assignments);
    if (name && (!name.isFixed || name.hasGlob)) {
      this.#isOpaque = true;
      this.#doubts.add('What it runs is known only when it runs.');
    }
  }

  /** Braces make several words of one, and options too. */
  #wordsOf(word: Word): readonly ShellWord[] {
    const whole = wordOf(word);
    if (!word.parts?.some(({ type }) => type === 'BraceExpansion')) return [whole];
    if (countOf(/\{/g, whole.value) > maxBraces) {
      this.#isOpaque = true;
      this.#doubts.add(variable);
      return [whole];
    }
    const values = braceExpand(whole.value, { braceExpandMax: maxExpanded + 1 });
    const isPlain = /^[\w./{},*?~@%+:-]+$/.test(word.text) && values.length <= maxExpanded;
    if (!isPlain || values.some((value) => value.startsWith('-'))) this.#doubts.add(variable);
    if (values.length > maxExpanded) this.#isOpaque = true;
    return values.slice(0, maxExpanded).map((value) => ({ ...whole, value }));
  }

  /** As the index of an array even quoted text is run: `[[ -v 'a[$(x)]' ]]`. */
  #checkEvaluated(words: readonly ShellWord[]): void {
    if (!words.some(({ value, isFixed }) => isFixed && /\$\(|`|\$\{/.test(value))) return;
    this.#isOpaque = true;
    this.#doubts.add(substitution);
  }

  #takeRedirect({ operator, target }: Redirect): void {
    if (target === undefined) return;
    const word = wordOf(target);
    const isCopy = (operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(word.value);
    if (!isCopy) this.#redirects.push({ operator, target: word });
  }
}

const substitution = 'It runs a command to make a part of itself.';
const variable = 'A part of it is known only when it runs.';
const doubtfulNodes: { readonly [type: string]: string | undefined } = {
  CommandExpansion: substitution,
  ProcessSubstitution: substitution,
  ArithmeticCommandExpansion: substitution,
  SimpleExpansion: variable,
  ParameterExpansion: variable,
  ArithmeticExpansion: variable,
  ArithmeticCommand: variable,
  ArithmeticFor: variable,
  LocaleString: variable,
  Function: 'It gives a new meaning to a name.',
  Coproc: 'It runs something beside itself.',
  Select: variable,
};

/** Builtins that evaluate names and numbers which they are given. */
const evaluating = new Set(['test', '[', 'printf', 'read', 'unset', 'let', 'declare', 'typeset', 'local', 'export', 'readonly', 'wait', 'mapfile', 'readarray', 'getopts', 'return', 'exit', 'shift', 'break', 'continue']);

function wordOf({ text, value, parts = [] }: Word): ShellWord {
  return {
    value,
    source: text,
    isFixed: parts.every(isFixedPart),
    hasGlob: parts.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob' || type === 'BraceExpansion'),
  };
}

function assignmentWord({ text, value }: Assignment): ShellWord {
  if (value.type === 'ArrayValue') return { value: text, source: text, isFixed: false, hasGlob: false };
  const word = wordOf(value);
  return { ...word, value: text.slice(0, text.length - word.source.length) + word.value, source: text };
}

function isFixedPart(part: WordPart | DoubleQuotedChild): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Glob':
      return true;
    case 'BraceExpansion':
    case 'ExtendedGlob':
      return (part.parts ?? []).every(isFixedPart);
    case 'DoubleQuoted':
      return part.parts.every(isFixedPart);
    default:
      return false;
  }
}
