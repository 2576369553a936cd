import type { DemoFile } from '../fileHelpers.ts';
import { baseName, fileNamePattern, locateFile, readFile } from '../fileHelpers.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';

/** Reads a file and tells what is in it, from its own comments and declarations. */
export const explainFile: DemoSkill = {
  example: 'explain cart.ts',
  pattern: new RegExp('\\b(?:explain|describe|read|show|what\\s+does|what\\s+is\\s+in|what\'s\\s+in)\\b.*?' + fileNamePattern, 'is'),
  *run(task: DemoTask): DemoJob {
    const file = yield* readFile(task, yield* locateFile(task, task.words[0] ?? ''));
    return explanationOf(file);
  },
};

interface Declaration {
  readonly kind: string;
  readonly name: string;
  readonly isExported: boolean;
  readonly line: number;
  readonly comment: string;
}

function explanationOf(file: DemoFile): string {
  const declarations = declarationsIn(file.lines);
  const head = `**${baseName(file.path)}** has ${count(file.lines.length, 'line')}.`;
  const parts = [head, importsOf(file.lines), headingsOf(file), testsOf(file.lines)].filter(part => part !== '');
  if (declarations.length === 0) return [...parts, firstLines(file)].join('\n\n');
  const exported = declarations.filter(declaration => declaration.isExported).length;
  const list = declarations.map(({ kind, name, line, comment }) => `- \`${name}\` (${kind}, line ${line})${comment === '' ? '' : `: ${comment}`}`);
  return [...parts, `It declares ${count(declarations.length, 'name')} at the top level, ${exported === declarations.length ? 'all' : exported === 0 ? 'none' : exported} of them exported:`, list.join('\n')].join('\n\n');
}

function declarationsIn(lines: readonly string[]): Declaration[] {
  return lines.flatMap((line, index) => {
    const match = /^(export\s+)?(?:default\s+)?(?:async\s+)?(function|class|const|let|interface|type)\*?\s+([\w$]+)/.exec(line);
    if (match?.[2] === undefined || match[3] === undefined) return [];
    return [{ kind: match[2], name: match[3], isExported: match[1] !== undefined, line: index + 1, comment: commentAbove(lines, index) }];
  });
}

/** The first sentence-like line of the comment that ends right above. */
function commentAbove(lines: readonly string[], index: number): string {
  let start = index - 1;
  if (!/\*\/\s*$|^\s*\/\//.test(lines[start] ?? '')) return '';
  while (start > 0 && !/^\s*\/\*\*?/.test(lines[start] ?? '') && !/^\s*\/\//.test(lines[start] ?? '')) start -= 1;
  const text = lines.slice(start, index).map(line => line.replace(/^\s*(\/\*\*?|\*\/|\*|\/\/)\s?|\s*\*\/\s*$/g, '').trim()).filter(line => line !== '');
  return (text[0] ?? '').replaceAll(/^@returns?\s+\{([^}]*)\}/g, 'gives back $1');
}

function importsOf(lines: readonly string[]): string {
  const modules = lines.flatMap(line => /^import\b.*['"]([^'"]+)['"]/.exec(line)?.[1] ?? []);
  return modules.length === 0 ? '' : `It imports from ${modules.map(module => `\`${module}\``).join(', ')}.`;
}

function headingsOf({ path, lines }: DemoFile): string {
  if (!/\.mdx?$/.test(path)) return '';
  const headings = lines.flatMap(line => /^#{1,3}\s+(.+)/.exec(line)?.[1] ?? []);
  return headings.length === 0 ? '' : `Its headings: ${headings.join(' · ')}.`;
}

function testsOf(lines: readonly string[]): string {
  const names = lines.flatMap(line => /^\s*(?:test|it)\(\s*(['"`])(.*?)\1/.exec(line)?.[2] ?? []);
  return names.length === 0 ? '' : `It tests that:\n\n${names.map(name => `- ${name}`).join('\n')}`;
}

function firstLines(file: DemoFile): string {
  return `It begins like this:\n\n\`\`\`\`\n${file.lines.slice(0, 12).join('\n')}\n\`\`\`\``;
}

function count(n: number, noun: string): string {
  return n === 1 ? `one ${noun}` : `${n} ${noun}s`;
}
