import type { JsonObject } from '../../base/json.ts';

/** The head of a message's line as we write it: an answer, or results of calls; and whose transcript line is told elsewhere. */
const messageHead =
  /^\{"parentUuid":"([^"\\]+)","isSidechain":false,"userType":"external","sessionId":"[^"\\]*","timestamp":"[^"\\]*","cwd":"(?:[^"\\]|\\.)*","version":"[^"\\]*","type":"(?:assistant","uuid":"([^"\\]+)","message":\{(?:"model":"[^"\\]*",)?"id":"([^"\\]+)"|user","uuid":"([^"\\]+)","message":\{"role":"user","content":\[\{"type":"tool_result","tool_use_id":")/;
/** Stands once, and near the beginning, in every line that we write: within strings its quotes would be escaped. */
const everyLine = '"sessionId":"';
const isProgress = '{"type":"progress","sessionId":"';
/** Of results that are told of although the model does not see them any more. */
const keptResult = '"toolUseResult":{"kind":"todos"';

/**
 * What the tree of a conversation needs of a line that nobody will see, without parsing it: where the message stands, not
 * what it says. Null for a line that is not needed at all. Undefined for one that has to be parsed: because of its kind,
 * or because it is not exactly as we write it. `line`: its bytes as Latin-1.
 */
export function indexedLine(line: string): JsonObject | null | undefined {
  if (!line.endsWith('}') || line.indexOf(everyLine) !== line.lastIndexOf(everyLine)) return undefined;
  if (line.startsWith(isProgress)) return null;
  const match = messageHead.exec(line);
  if (!match) return undefined;
  const [, parentUuid, answer, id, result] = match;
  if (answer !== undefined) return { parentUuid, isSidechain: false, type: 'assistant', uuid: answer, message: { id } };
  return line.includes(keptResult) ? undefined : { parentUuid, isSidechain: false, type: 'user', uuid: result };
}
