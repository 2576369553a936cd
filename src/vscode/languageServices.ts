import * as vscode from 'vscode';
import { onAbort } from '../base/abort.ts';
import { DisposableStore } from '../base/disposables.ts';
import { errorText, TurnstoneError } from '../base/errors.ts';
import type { EngineOptions } from '../sdk/options.ts';

type LanguageServices = NonNullable<EngineOptions['languageServices']>;
type CodePosition = Parameters<LanguageServices['definitions']>[0];
type CodeRange = Awaited<ReturnType<LanguageServices['definitions']>>[number];
type CodeSymbol = Awaited<ReturnType<LanguageServices['symbols']>>[number];

/** Milliseconds in which a language service that has just been shown a file is expected to say something about it. */
const firstDiagnosticsMs = 2_000;

const severities = ['error', 'warning', 'information', 'hint'] as const;

/** VS Code's language services as a port of the engine, which counts lines and characters from 1. */
export const languageServices: LanguageServices = {
  async diagnostics(path, signal) {
    if (path !== undefined) await openForDiagnostics(vscode.Uri.file(path), signal);
    const all = path === undefined ? vscode.languages.getDiagnostics() : [[vscode.Uri.file(path), vscode.languages.getDiagnostics(vscode.Uri.file(path))] as const];
    return all
      .filter(([uri]) => uri.scheme === 'file')
      .flatMap(([uri, list]) => list.map((each) => ({ ...positionOf(uri, each.range.start), severity: severities[each.severity]!, message: each.message, source: each.source, code: codeOf(each) })));
  },
  async definitions(at) {
    return locations(await execute<(vscode.Location | vscode.LocationLink)[]>('vscode.executeDefinitionProvider', at));
  },
  async references(at) {
    return locations(await execute<vscode.Location[]>('vscode.executeReferenceProvider', at));
  },
  async symbols(path) {
    const found = await vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>('vscode.executeDocumentSymbolProvider', vscode.Uri.file(path));
    return (found ?? []).flatMap((symbol) => withChildren(symbol, 0));
  },
  async rename(at, newName) {
    const edit = await execute<vscode.WorkspaceEdit>('vscode.executeDocumentRenameProvider', at, newName).catch((error: unknown) => {
      throw new TurnstoneError('invalid_input', `Nothing was changed: the language services refuse to rename it. ${errorText(error)}`, { cause: error });
    });
    // Where a name is a file's, the services rename the file and say so in a part of the edit that nobody can read.
    return (edit?.entries() ?? []).flatMap(([uri, list]) => list.map((each) => ({ ...rangeOf(uri, each.range), newText: each.newText })));
  },
};

async function execute<Result>(command: string, at: CodePosition, ...rest: readonly unknown[]): Promise<Result | undefined> {
  const uri = vscode.Uri.file(at.path);
  await vscode.workspace.openTextDocument(uri);
  return vscode.commands.executeCommand<Result | undefined>(command, uri, new vscode.Position(at.line - 1, at.character - 1), ...rest);
}

/** Most services look only at files that are open, and take a moment to say what they found. */
async function openForDiagnostics(uri: vscode.Uri, signal: AbortSignal): Promise<void> {
  if (vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString())) return;
  const listeners = new DisposableStore();
  const told = new Promise<void>((resolve) => {
    listeners.add(vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.some((each) => each.toString() === uri.toString()) && resolve()));
    listeners.add(onAbort(signal, resolve));
    const timer = setTimeout(resolve, firstDiagnosticsMs);
    listeners.add({ dispose: () => clearTimeout(timer) });
  });
  try {
    await vscode.workspace.openTextDocument(uri);
    await told;
  } finally {
    listeners.dispose();
  }
}

function locations(found: readonly (vscode.Location | vscode.LocationLink)[] | undefined): CodeRange[] {
  return (found ?? [])
    .map((each) => ('targetUri' in each ? { uri: each.targetUri, range: each.targetSelectionRange ?? each.targetRange } : each))
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri, range }) => rangeOf(uri, range));
}

function withChildren(symbol: vscode.DocumentSymbol | vscode.SymbolInformation, depth: number): CodeSymbol[] {
  const range = 'location' in symbol ? symbol.location.range : symbol.range;
  const own = { name: symbol.name, kind: (vscode.SymbolKind[symbol.kind] ?? 'symbol').toLowerCase(), depth, line: range.start.line + 1, endLine: range.end.line + 1 };
  return [own, ...('children' in symbol ? symbol.children.flatMap((child) => withChildren(child, depth + 1)) : [])];
}

function positionOf(uri: vscode.Uri, position: vscode.Position): CodePosition {
  return { path: uri.fsPath, line: position.line + 1, character: position.character + 1 };
}

function rangeOf(uri: vscode.Uri, range: vscode.Range): CodeRange {
  return { ...positionOf(uri, range.start), endLine: range.end.line + 1, endCharacter: range.end.character + 1 };
}

function codeOf({ code }: vscode.Diagnostic): string | undefined {
  const value = typeof code === 'object' ? code.value : code;
  return value === undefined ? undefined : String(value);
}
