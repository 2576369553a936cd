import type { ShellWord } from './shellCommand.ts';
import { nameOf } from './shellWrappers.ts';

/**
 * Arguments with which a harmless program runs another one, takes its instructions from elsewhere or writes a file. A
 * rule covers them only where it names them itself. Pure.
 */
export function riskyArguments(words: readonly ShellWord[]): readonly string[] {
  const name = nameOf(words).replace(/\.exe$/i, '');
  const values = words.slice(1).map(({ value }) => value);
  if (name === 'sed' || name === 'gsed') return riskyInSed(values);
  if (/^[gmn]?awk$/.test(name)) return riskyInAwk(values);
  if (scriptRunners.has(name)) return [...riskyForScripts(name, values), ...riskyBehind(words)];
  const risky = options[name];
  return risky ? values.filter((value) => risky.test(value)) : [];
}

/** Long options may be cut short as long as they are clear. */
const options: { readonly [name: string]: RegExp | undefined } = {
  git: /^(-c|-c\S+=.*|-C|-x|-u|-O.*|--(config-env|exe|ou|ext|textc|up|rec|op|git-dir|work-tree|sendmail|httpd|tree-f|msg-f|index-f|env-f|commit-f|parent-f|conf|temp|sep|unsafe).*|run|apply|am|difftool|gui|citool|web--browse|maintenance|svn|p4|send-pack|http-push|subtree|lfs|foreach|filter-branch|mergetool|instaweb|daemon|credential\S*|hook|help|ext::.*)$/,
  sort: /^(-\w*o.*|--(out|comp).*)$/,
  tar: /^(-I.*|-F.*|-g.*|--(to-c|checkpoint-a|use-c|rsh|rmt|info-s|new-v|index-f|ext|get|vol|rem|listed).*|-?[a-zA-Z]*x[a-zA-Z]*)$/,
  rg: /^--(pre|hostname-bin)(=.*)?$/,
  man: /^(-\w*[PHCX].*|--(p|h|b|c|gx|tro).*)$/,
  less: /^(-\w*[oOk].*|--(log-f|LOG-F|lesskey|keyl).*|\+.*)$/i,
  rsync: /^(-\w*[eMT].*|--(rsh|rs|rsync-p|daemon|config|log-f|write-b|only-w|backup-d|partial-d|temp-d|remote-o).*)$/,
  scp: /^-\w*[SoFDJ].*$/,
  date: /^(-s.*|--se.*)$/,
  go: /^-{1,2}(exec|toolexec|vettool|overlay|C|compiler|gccgoflags|pkgdir|modfile)(=.*)?$|extld|linkmode/,
  cargo: /^(--(config|manifest-p).*|-Z.*|-C.*)$/,
  curl: /^(-\w*[oOKJDc].*|--(ou|rem|conf|dump|cookie-j|tr|std|et|hs|alt|lib|netrc-f|proxy-e|eng|ssl-s).*)$|%output/,
  wget: /^(-\w*[oOaPei].*|--(ou|ap|exe|inp|dir|conf|use-a|save|warc|post-f|body-f|rej|hsts|content-d|trust).*)$/,
  make: /^(-\w*[fCIWE].*|--(fi|make|ev|dir|incl|new|what|assume).*|[^-].*=.*|-\w*=.*)$/s,
  just: /^(-\w*[fd].*|--(shell|justfile|working|set|command).*|[^-].*=.*)$/s,
  zip: /^(-\w*T.*|--unzip.*)$/,
  split: /^--filt.*$/,
  ssh: /^-\w*[oFEIS].*$/,
  bat: /^(--(pager|config|diff|map|acquire|generate).*|cache)$/,
  batcat: /^(--(pager|config|diff|map|acquire|generate).*|cache)$/,
  nc: /^(-\w*[ec].*|--(exec|sh-exec|lua-exec).*)$/,
  ncat: /^(-\w*[ec].*|--(exec|sh-exec|lua-exec).*)$/,
  netcat: /^(-\w*[ec].*|--(exec|sh-exec|lua-exec).*)$/,
  ip: /^(netns|vrf|-b.*)$/,
  gpg: /^--(exec-p|photo-v|agent-p|dirmngr|pinentry|homedir|options|load).*$/,
  file: /^(-\w*C.*|--comp.*)$/,
  ruby: /^-\w*[rICSx].*$/,
  openssl: /^(-(engine|config|provider|pre|post).*|engine)$/,
  gdb: /^-{1,2}(ex|eval|x|command|ix|iex|init|python|P)/,
  sqlite3: /^\s*\.|\n\s*\.|^-{1,2}(cmd|init)$|load_extension|readfile|writefile|edit\s*\(/i,
  psql: /\\|program|^-\w*[foL]|^--(file|out|log)/i,
  mysql: /\\|system|source|tee|pager|^--(init|defaults|plugin)/i,
  pandoc: /^(-[FLd].*|--(filter|lua|defaults|pdf-engine|data-d|extract).*|.*\.lua)$/,
  gcc: /^(-wrapper|-fplugin.*|-{1,2}specs.*|-B.*|@.*|-fuse-ld.*|-Xclang|-fpass.*|-load)$/,
  cc: /^(-wrapper|-fplugin.*|-{1,2}specs.*|-B.*|@.*|-fuse-ld.*|-Xclang|-fpass.*|-load)$/,
  'g++': /^(-wrapper|-fplugin.*|-{1,2}specs.*|-B.*|@.*|-fuse-ld.*|-Xclang|-fpass.*|-load)$/,
  clang: /^(-wrapper|-fplugin.*|-{1,2}specs.*|-B.*|@.*|-fuse-ld.*|-Xclang|-fpass.*|-load)$/,
  'clang++': /^(-wrapper|-fplugin.*|-{1,2}specs.*|-B.*|@.*|-fuse-ld.*|-Xclang|-fpass.*|-load)$/,
  pytest: /^(-[pco].*|--(rootdir|conf|override|pdbcls).*)$/,
  mocha: /^(-[rnRu].*|--(req|config|package|import|loader|node-o|experimental|reporter|ui).*)$/,
  jest: /^(-c.*|--(config|setup|global|testRun|runner|transform|env|resolver|reporters|rootDir|roots|watchP|testEnv|testSeq|projects|preset|testRes|snapshotS|filter|dependencyE|haste|moduleN|prettierP).*)$/,
  vitest: /^(-[cr].*|--(config|root|dir|globalS|setupF|reporter|env|pool|runner|execArgv|browser|workspace|project).*)$/,
  eslint: /^(-[cfo].*|--(conf|rulesd|resolve|plugin|parser|format|out|cache-).*)$/,
  prettier: /^--(plugin|config|cache-l).*$/,
};

const scriptRunners = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npx']);
const runnerOptions = /^(-g$|--?(location|global(=|$)|scr|she|shell-|node-?o|pref|userc|globalc|git(=.*)?$|editor|viewer|onload|init-m|cwd|dir(=|$)|config\.|use-yarnrc|preload|tsconfig-o)|-C)/i;

/** What stands behind `--` goes to the script, through a shell that older versions let look for substitutions. */
function riskyForScripts(name: string, values: readonly string[]): string[] {
  const end = values.indexOf('--');
  const own = end < 0 ? values : values.slice(0, end);
  return [...own.filter((value) => runnerOptions.test(value.replaceAll('_', '-')) || (name === 'bun' && /^(-r|-e|--(require|import|eval))/.test(value))), ...values.filter((value) => /`|\$\(/.test(value))];
}

/** A program that they start by its name: `npx eslint -c x`, `yarn jest --config x`. */
function riskyBehind(words: readonly ShellWord[]): readonly string[] {
  const at = words.findIndex(({ value }, index) => index > 0 && !value.startsWith('-') && !/^(exec|x|run|dlx)$/.test(value));
  return at < 0 || scriptRunners.has(nameOf(words.slice(at))) ? [] : riskyArguments(words.slice(at));
}

/** Commands that neither run, read nor write anything: addresses, substitutions without e and w, and single letters. */
const sedAddress = String.raw`(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)(?:,(?:\d+|\$|[+~]\d+|/(?:[^/\\\n]|\\.)*/I?))?!?\s*)?`;
// Within brackets the sign that divides is no end for every sed.
const sedPattern = String.raw`(?:(?!\1)[^\\\n[]|\\.|\[(?:(?!\1)[^\]\n])*\])*`;
const sedSubstitution = String.raw`[sy]([/|#,@:!_%])${sedPattern}\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIM\d]*`;
const sedCommand = new RegExp(String.raw`^\s*${sedAddress}(?:[pdDqQnNhHgGxP=lz]|${sedSubstitution})?\s*(?:[;\n]|$)`);
const harmlessSedOption = /^(-[nrEsuzb]+|-[nrEsuzb]*i.*|--(in-place(=.*)?|quiet|silent|regexp-extended|separate|unbuffered|null-data|zero-terminated|posix|sandbox|debug|follow-symlinks|version|help)|--)$/;

/** Options are taken as they are written out in full: a short form may be another one. */
function riskyInSed(values: readonly string[]): string[] {
  const risky: string[] = [];
  let hasScript = false;
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    // Of some systems' sed it is the ending for a copy: none.
    if (value === '' && /^-[nrEsuzb]*i$/.test(values[index - 1] ?? '')) continue;
    const attached = /^(?:-[nrEsuzb]*e|--expression=)(.+)$/s.exec(value)?.[1];
    const isExpression = /^(-[nrEsuzb]*e|--expression)$/.test(value);
    if (attached !== undefined || isExpression || (!hasScript && !value.startsWith('-'))) {
      hasScript = true;
      const script = attached ?? (isExpression ? (values[++index] ?? '') : value);
      if (!isHarmlessSed(script)) risky.push(script);
    } else if (value.startsWith('-') && !harmlessSedOption.test(value)) risky.push(value);
  }
  return risky;
}

function isHarmlessSed(script: string): boolean {
  let rest = script;
  while (rest !== '') {
    const found = sedCommand.exec(rest);
    if (!found || found[0] === '') return false;
    rest = rest.slice(found[0].length);
  }
  return true;
}

/** A program that runs, reads or writes something else; options that bring one in. Where strings end is not looked at. */
function riskyInAwk(values: readonly string[]): string[] {
  const risky: string[] = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (/^(-[Fv]|--(field-separator|assign))$/.test(value)) index++;
    else if (value.startsWith('-') && !/^(--|-[Fv].+|--(field-separator|assign)=.*|--posix|--traditional|--re-interval)$/s.test(value)) risky.push(value);
    else if (/system|getline|@|ARG[VC]|ENVIRON|print[^]*>/.test(value) || value.replaceAll('||', '').includes('|')) risky.push(value);
  }
  return risky;
}
