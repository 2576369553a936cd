import { errorText } from '../../base/errors.ts';
import type { EngineParts } from '../engineParts.ts';

/** A file changed outside: what was read of it, under whatever name, does not count any more. Returns at once. */
export function forgetWhatWasRead(path: string, { files, readFileState, config }: Pick<EngineParts, 'files' | 'readFileState' | 'config'>): void {
  files.realpath(path).then(
    (real) => readFileState.invalidate(real),
    (thrown: unknown) => config.log.warn(`a changed file could not be looked at: ${errorText(thrown)}`),
  );
}
