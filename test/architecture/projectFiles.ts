import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written, for a package: `zod`, `node:fs`, `highlight.js/lib/core`. */
  readonly specifier: string;
  /** For a file of the project: its path relative to the project. */
  readonly file: string | undefined;
  readonly typeOnly: boolean;
}

const notOurs = new Set(['node_modules', 'dist', 'out', 'coverage']);

/** All files below these folders, relative to `root`, with one of the extensions. A folder that is missing has none. */
export function listFiles(root: string, folders: readonly string[], extensions: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const full = path.join(root, folder);
    const entries = fs.existsSync(full) ? fs.readdirSync(full, { withFileTypes: true }) : [];
    return entries.flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        return notOurs.has(entry.name) || entry.name.startsWith('.vscode-test') ? [] : listFiles(root, [name], extensions);
      }
      return extensions.some((extension) => entry.name.endsWith(extension)) ? [name] : [];
    });
  });
}

/** Reads TypeScript files with what they import, statically or not. */
export function readSourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return listFiles(root, folders, ['.ts', '.tsx']).map((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    return { path: file, text, imports: importsOf(file, text) };
  });
}

/** Exported for the test of the rules themselves. */
export function importsOf(file: string, text: string): Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    file: fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file), fileName) : undefined,
    typeOnly: isTypeOnly(text.slice(0, pos)),
  }));
}

/** preProcessFile does not say it: `import type` or `export type` is the last statement that begins before the specifier. */
function isTypeOnly(before: string): boolean {
  const statement = /(?:^|\n|;)\s*((?:import|export)\b[^;]*)$/.exec(before)?.[1] ?? '';
  const last = statement.slice(Math.max(statement.lastIndexOf('\nimport'), statement.lastIndexOf('\nexport'), 0)).trim();
  return /^(?:import|export)\s+type\b/.test(last) && !/\bimport\s*\($/.test(last);
}

/** Every circle of imports, each once, as the files in it. Circles of types alone count too. */
export function findCycles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, above: readonly string[]): void => {
    const start = above.indexOf(file);
    if (start >= 0) {
      cycles.push([...above.slice(start), file]);
      return;
    }
    if (finished.has(file)) {
      return;
    }
    for (const imported of byPath.get(file)?.imports ?? []) {
      if (imported.file !== undefined) {
        visit(imported.file, [...above, file]);
      }
    }
    finished.add(file);
  };
  for (const file of byPath.keys()) {
    visit(file, []);
  }
  return cycles;
}
