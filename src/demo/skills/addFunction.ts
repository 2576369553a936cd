import { callTool } from '../callTool.ts';
import type { DemoFile } from '../fileHelpers.ts';
import { baseName, fileNamePattern, locateFile, readFile } from '../fileHelpers.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';
import { StopJob } from '../plan.ts';
import { describeTestRun, runTests } from '../testRun.ts';
import type { FunctionRecipe } from './functionRecipes.ts';
import { functionRecipes } from './functionRecipes.ts';

/** Adds one of the functions it knows to a cart module, its test to the test file, and runs the tests. */
export const addFunction: DemoSkill = {
  example: 'add a function `itemCount` to cart.ts with a test',
  pattern: new RegExp('\\badd\\s+(?:a\\s+|the\\s+)?function\\s+(?:named\\s+|called\\s+)?[`\'"]?([A-Za-z_$][\\w$]*)(?:\\(\\))?[`\'"]?(?:.*?\\b(?:to|in)\\s+' + fileNamePattern + ')?', 'is'),
  *run(task: DemoTask): DemoJob {
    const [name = '', fileName = 'cart.ts'] = task.words;
    const recipe = functionRecipes.find(each => each.names.includes(name));
    if (recipe === undefined) return `I can't write \`${name}\`: being a script, I only know ${knownNames()}.`;
    const file = yield* readFile(task, yield* locateFile(task, fileName));
    yield* callTool(task, { say: `I add \`${name}\` at the end of ${baseName(file.path)}.`, name: 'Edit', input: { file_path: file.path, ...additionTo(file, name, recipe) } });
    if (!/\btests?\b/i.test(task.prompt)) return `\`${name}\` is in ${baseName(file.path)} now.`;
    const test = yield* readFile(task, yield* locateFile(task, baseName(file.path).replace(/(\.\w+)$/, '.test$1')));
    const content = `${testWith(test, { file, name, recipe }).join('\n')}\n`;
    yield* callTool(task, { say: `Now its test, in ${baseName(test.path)}.`, name: 'Write', input: { file_path: test.path, content } });
    const run = yield* runTests(task);
    return `\`${name}\` is in ${baseName(file.path)} now, and its test in ${baseName(test.path)}. ${describeTestRun(run)}`;
  },
};

function knownNames(): string {
  return functionRecipes.map(recipe => `\`${recipe.names[0]}\``).join(', ');
}

/** An edit that puts the function behind the last declaration of the file. */
function additionTo(file: DemoFile, name: string, recipe: FunctionRecipe): { readonly old_string: string; readonly new_string: string } {
  const isTaken = file.lines.some(line => new RegExp(`\\b(function|const|let|class)\\s+${name}\\b`).test(line));
  if (isTaken) throw new StopJob(`There is a \`${name}\` in ${baseName(file.path)} already, so I changed nothing.`);
  const start = file.lines.findLastIndex(line => /^(export\s+)?function\s/.test(line));
  if (start === -1 || !file.lines.some(line => line.includes('cart.lines'))) {
    throw new StopJob(`\`${name}\` is made for a cart that keeps \`lines\`, and ${baseName(file.path)} has none, so I changed nothing.`);
  }
  const tail = withoutBlankEnd(file.lines.slice(start)).join('\n');
  return { old_string: tail, new_string: `${tail}\n\n${recipe.source(name).join('\n')}` };
}

interface Addition {
  readonly file: DemoFile;
  readonly name: string;
  readonly recipe: FunctionRecipe;
}

/** The test file with the new test at its end and the names it needs imported. */
function testWith(test: DemoFile, { file, name, recipe }: Addition): readonly string[] {
  const isImport = (line: string): boolean => /^import\s*\{.*\}\s*from/.test(line) && line.includes(`/${baseName(file.path)}`);
  if (!test.lines.some(isImport)) throw new StopJob(`${baseName(test.path)} does not import from ${baseName(file.path)} in a way I know, so I wrote no test.`);
  const lines = test.lines.map(line => (isImport(line) ? withImported(line, [name, 'createCart', 'addItem']) : line));
  return [...withoutBlankEnd(lines), '', ...recipe.test(name)];
}

function withImported(line: string, names: readonly string[]): string {
  return line.replace(/\{([^}]*)\}/, (_, list: string) => {
    const all = [...new Set([...list.split(',').map(each => each.trim()).filter(each => each !== ''), ...names])];
    return `{ ${all.toSorted().join(', ')} }`;
  });
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex(line => line.trim() !== '') + 1);
}
