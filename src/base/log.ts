/** Where diagnostics go: an output channel in the editor, stderr on the command line, nowhere in tests. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
