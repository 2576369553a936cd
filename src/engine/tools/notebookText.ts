import { isJsonObject, tryParseJson } from '../../base/json.ts';

/** The lines of a notebook's cells with their text outputs; undefined when the file is no notebook that we understand. */
export function notebookText(json: string): string[] | undefined {
  const notebook = tryParseJson(json);
  if (!isJsonObject(notebook) || !Array.isArray(notebook['cells'])) return undefined;
  return notebook['cells'].filter(isJsonObject).flatMap((cell, index) => {
    const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isJsonObject).map(outputText).filter(Boolean) : [];
    return [
      `--- cell ${index + 1}: ${String(cell['cell_type'] ?? 'unknown')}${typeof cell['id'] === 'string' ? `, id ${cell['id']}` : ''} ---`,
      ...joined(cell['source']).split('\n'),
      ...outputs.flatMap((output) => ['--- output ---', ...output.split('\n')]),
    ];
  });
}

function outputText(output: { [key: string]: unknown }): string {
  if (output['output_type'] === 'error') return `${String(output['ename'])}: ${String(output['evalue'])}`;
  const data = isJsonObject(output['data']) ? output['data'] : {};
  const text = joined(output['text'] ?? data['text/plain']).replace(/\n$/, '');
  const others = Object.keys(data).filter((type) => type !== 'text/plain');
  return [text, ...(others.length > 0 ? [`(also: ${others.join(', ')})`] : [])].filter(Boolean).join('\n');
}

/** Notebooks keep texts as one string or as a list of lines with their ends. */
function joined(value: unknown): string {
  return Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
}
