import { layers, type Layer } from './layers.ts';
import type { Import, SourceFile } from './projectFiles.ts';

/** What a file imports that its layer may not know; one sentence each, none when all is well. */
export function checkLayers(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    if (!layer) {
      return [`${file.path} is in no layer.`];
    }
    return file.imports.flatMap((imported) => {
      const problem = imported.file === undefined ? checkPackage(layer, imported.specifier) : checkFile(layer, imported.file, imported);
      return problem ? [`${file.path} ${problem}`] : [];
    });
  });
}

export function layerOf(file: string): Layer | undefined {
  return layers.find(({ folder }) => file.startsWith(`${folder}/`));
}

/** `highlight.js/lib/core` -> `highlight.js`, `@scope/name/part` -> `@scope/name`, `node:fs/promises` -> `node:` */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) {
    return 'node:';
  }
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function checkPackage(layer: Layer, specifier: string): string | undefined {
  return layer.packages.includes(packageOf(specifier)) ? undefined : `imports the package ${specifier}, which ${layer.name} may not.`;
}

function checkFile(layer: Layer, file: string, { typeOnly }: Import): string | undefined {
  const target = layerOf(file);
  if (!target) {
    return `imports ${file}, which is in no layer.`;
  }
  if (target === layer || layer.imports.includes(target.name) || layer.imports.includes(file)) {
    return undefined;
  }
  if (layer.typeImports?.includes(target.name)) {
    return typeOnly ? undefined : `imports values from ${file}; ${layer.name} may import types of ${target.name} only.`;
  }
  return `imports ${file}, but ${layer.name} may not know ${target.name}.`;
}
