import { isTurnstoneError, TurnstoneError } from '../../base/errors.ts';
import { displayPath, resolvePath } from '../../base/paths.ts';
import type { Documents, FileSystem, LanguageServices, Search } from '../ports.ts';
import type { SessionPermissions } from './sessionPermissions.ts';

/**
 * The files as the session may see them: whatever reads one (a tool, a mention, an import, a note about changes) is
 * refused what a rule denies, by its own name and by any link. Rejects with `permission`. Lists do not name it.
 */
export function guardFiles(files: FileSystem, permissions: SessionPermissions): FileSystem {
  const check = async (path: string): Promise<void> => {
    const why = await permissions.whyReadDenied(path);
    if (why !== undefined) throw new TurnstoneError('permission', `${path} was not read. ${why}`);
  };
  return {
    ...files,
    async readFile(path) {
      await check(path);
      return files.readFile(path);
    },
    async readRange(path, offset, length, into) {
      await check(path);
      return files.readRange(path, offset, length, into);
    },
    async readFolder(path) {
      const entries = await files.readFolder(path);
      if (!permissions.deniesPaths) return entries;
      const real = await files.realpath(path);
      return entries.filter(({ name }) => [path, real].every((folder) => permissions.whyDenied(resolvePath(folder, name)) === undefined));
    },
  };
}

/** What was said when a rule refused a file, also where that is only the cause of what was thrown. */
export function refusalIn(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error && depth < 6; error = (error as { cause?: unknown }).cause, depth++) {
    if (isTurnstoneError(error) && error.code === 'permission') return error.message;
  }
  return undefined;
}

/** Unsaved text of a file that a rule denies is not there; the file itself is then refused by {@link guardFiles}. */
export function guardDocuments(documents: Documents, permissions: SessionPermissions): Documents {
  return {
    unsavedText: (path) => (permissions.whyDenied(path) === undefined ? documents.unsavedText(path) : undefined),
    write: (path, text, options) => documents.write(path, text, options),
    encodingOf: (path) => documents.encodingOf?.(path),
  };
}

/** Searches neither look into files that a rule denies nor name them. */
export function guardSearch(search: Search, permissions: SessionPermissions, files: Pick<FileSystem, 'realpath'>): Search {
  const guarded = async <Request extends { readonly path: string }>(request: Request): Promise<Request & { readonly exclude?: (found: string) => boolean }> => {
    if (!permissions.deniesPaths) return request;
    const asked = resolvePath(request.path, '.');
    // Where it really is: a search that starts at a link tells what it leaves out by other names than what it finds.
    const path = await files.realpath(asked);
    const isDenied = (found: string): boolean => permissions.whyDenied(found) !== undefined;
    // Links below the folder are not followed, so that what is found lies below it; a rule may also name it by the link.
    return { ...request, path, exclude: (found) => isDenied(found) || (path !== asked && isDenied(resolvePath(asked, displayPath(path, resolvePath(found, '.'))))) };
  };
  return {
    glob: async (request, signal) => search.glob(await guarded(request), signal),
    grep: async (request, signal) => search.grep(await guarded(request), signal),
  };
}

/** What an editor knows of files that a rule denies is left out. A renaming is not: that it would reach one has to be said. */
export function guardLanguageServices(services: LanguageServices, permissions: SessionPermissions): LanguageServices {
  const visible = async <Found extends { readonly path: string }>(found: readonly Found[]): Promise<readonly Found[]> => {
    if (!permissions.deniesPaths) return found;
    const denied = await Promise.all(found.map(({ path }) => permissions.isDenied(path)));
    return found.filter((_, index) => !denied[index]);
  };
  return {
    diagnostics: async (path, signal) => visible(await services.diagnostics(path, signal)),
    definitions: async (at, signal) => visible(await services.definitions(at, signal)),
    references: async (at, signal) => visible(await services.references(at, signal)),
    symbols: async (path, signal) => ((await permissions.isDenied(path)) ? [] : services.symbols(path, signal)),
    rename: (at, newName, signal) => services.rename(at, newName, signal),
  };
}
