import { isJsonObject, tryParseJson } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import { itemSpans, memberSpans, rootSpan } from './jsonSpans.ts';
import type { JsonSpan } from './jsonSpans.ts';
import { itemSeparator, jsonStyleOf, writeJson, writeMembers } from './jsonStyle.ts';
import type { JsonStyle } from './jsonStyle.ts';
import { withLineFeeds } from './lineEndings.ts';

export type CellType = 'code' | 'markdown' | 'raw';

export interface NotebookEdit {
  readonly mode: 'replace' | 'insert' | 'delete';
  /** Id of a cell, or its number from 1. Without it, `insert` puts the new cell first. */
  readonly cellId: string | undefined;
  readonly cellType: CellType | undefined;
  readonly source: string;
  /** For an inserted cell, where the notebook's format has ids. */
  readonly newId: string;
}

export type NotebookOutcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

interface Notebook {
  readonly text: string;
  readonly style: JsonStyle;
  readonly cells: readonly JsonObject[];
  readonly list: JsonSpan;
  readonly spans: readonly JsonSpan[];
  readonly hasIds: boolean;
}

/** Cells stand two levels deep: in the list, in the notebook. */
const cellDepth = 2;

/**
 * Changes one cell of a notebook's JSON text. Every byte outside of the cell (of its source, where only that changes)
 * stays; what is new is laid out like the rest. Outputs stay with a cell until it is run again.
 */
export function editNotebook(text: string, edit: NotebookEdit): NotebookOutcome {
  const notebook = openNotebook(text);
  if (!notebook) return failure('it is not a Jupyter notebook of format 4: there is no list of cells in it');
  if (edit.mode === 'insert' && edit.cellId === undefined) return insertAt(notebook, 0, edit);
  if (edit.cellId === undefined) return failure(`cell_id is needed to ${edit.mode} a cell`);
  const index = findCell(notebook, edit.cellId);
  if (index === undefined) return failure(`it has no cell ${edit.cellId}. It has ${describeCells(notebook)}`);
  switch (edit.mode) {
    case 'insert':
      return insertAt(notebook, index + 1, edit);
    case 'delete':
      return { ok: true, text: deleteAt(notebook, index) };
    case 'replace':
      return replaceAt(notebook, index, edit);
  }
}

function failure(message: string): NotebookOutcome {
  return { ok: false, message };
}

function openNotebook(text: string): Notebook | undefined {
  const parsed = tryParseJson(text);
  if (!isJsonObject(parsed) || !Array.isArray(parsed['cells']) || !parsed['cells'].every(isJsonObject)) return undefined;
  const list = memberSpans(text, rootSpan(text)).findLast((member) => member.key === 'cells')!.value;
  const [major, minor] = [Number(parsed['nbformat'] ?? 4), Number(parsed['nbformat_minor'] ?? 0)];
  if (major !== 4) return undefined;
  return { text, style: jsonStyleOf(text), cells: parsed['cells'], list, spans: itemSpans(text, list), hasIds: minor >= 5 };
}

function findCell({ cells }: Notebook, cellId: string): number | undefined {
  const byId = cells.findIndex((cell) => cell['id'] === cellId);
  if (byId >= 0) return byId;
  const number = /^\d+$/.test(cellId) ? Number(cellId) : 0;
  return number >= 1 && number <= cells.length ? number - 1 : undefined;
}

function describeCells({ cells }: Notebook): string {
  const ids = cells.flatMap((cell) => (typeof cell['id'] === 'string' ? [cell['id']] : []));
  const named = ids.length > 0 ? `, with the ids ${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ' …' : ''}` : '';
  return cells.length === 0 ? 'no cells at all' : `cells 1 to ${cells.length}${named}`;
}

function insertAt(notebook: Notebook, index: number, edit: NotebookEdit): NotebookOutcome {
  if (edit.cellType === undefined) return failure('cell_type is needed to insert a cell: code or markdown');
  const { text, style, list, spans } = notebook;
  const cell = writeJson(newCell(edit, edit.cellType, notebook.hasIds), style, cellDepth);
  if (spans.length === 0) return { ok: true, text: splice(text, list, listOfOne(cell, style)) };
  const separator = itemSeparator(style, cellDepth - 1);
  const before = spans[index - 1];
  const at = before ? before.end : spans[0]!.start;
  return { ok: true, text: splice(text, { start: at, end: at }, before ? separator + cell : cell + separator) };
}

/** A list of one item that is written already. */
function listOfOne(item: string, style: JsonStyle): string {
  if (style.indent === undefined) return `[${item}]`;
  const line = (depth: number): string => style.lineEnding + style.indent!.repeat(depth);
  return `[${line(cellDepth)}${item}${line(cellDepth - 1)}]`;
}

function newCell(edit: NotebookEdit, type: CellType, hasIds: boolean): JsonObject {
  return {
    cell_type: type,
    ...(type === 'code' && { execution_count: null }),
    ...(hasIds && { id: edit.newId }),
    metadata: {},
    ...(type === 'code' && { outputs: [] }),
    source: sourceLines(edit.source),
  };
}

function deleteAt({ text, list, spans }: Notebook, index: number): string {
  const cell = spans[index]!;
  if (spans.length === 1) return splice(text, list, '[]');
  const next = spans[index + 1];
  return splice(text, next ? { start: cell.start, end: next.start } : { start: spans[index - 1]!.end, end: cell.end }, '');
}

function replaceAt(notebook: Notebook, index: number, edit: NotebookEdit): NotebookOutcome {
  const { text, style } = notebook;
  const cell = notebook.cells[index]!;
  const span = notebook.spans[index]!;
  const type = edit.cellType ?? (cell['cell_type'] as CellType);
  const source = typeof cell['source'] === 'string' ? withLineFeeds(edit.source) : sourceLines(edit.source);
  const written = writeJson(source, style, cellDepth + 1);
  const members = memberSpans(text, span);
  const old = members.findLast((member) => member.key === 'source');
  if (type === cell['cell_type'] && old) return { ok: true, text: splice(text, old.value, written) };
  return { ok: true, text: splice(text, span, retyped(members.map(({ key, value }) => [key, text.slice(value.start, value.end)]), { type, source: written, style })) };
}

/** A cell of another type: what only code cells have goes, or comes; all else is kept as it was written. */
function retyped(members: readonly (readonly [string, string])[], to: { readonly type: CellType; readonly source: string; readonly style: JsonStyle }): string {
  const kept = new Map(members.filter(([key]) => to.type === 'code' || (key !== 'outputs' && key !== 'execution_count' && key !== 'attachments')));
  if (to.type === 'code') {
    kept.delete('attachments');
    if (!kept.has('execution_count')) kept.set('execution_count', 'null');
    if (!kept.has('outputs')) kept.set('outputs', '[]');
  }
  kept.set('cell_type', JSON.stringify(to.type)).set('source', to.source);
  const keys = members.map(([key]) => key);
  const isSorted = keys.every((key, index) => index === 0 || keys[index - 1]! <= key);
  const entries = [...kept];
  return writeMembers(isSorted ? entries.sort(([one], [other]) => (one < other ? -1 : 1)) : entries, to.style, cellDepth);
}

/** Notebooks keep texts as lines with their ends. */
function sourceLines(source: string): string[] {
  return withLineFeeds(source).match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function splice(text: string, span: JsonSpan, replacement: string): string {
  return text.slice(0, span.start) + replacement + text.slice(span.end);
}
