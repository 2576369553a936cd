import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

const calls = 200;

/** Our own part of a tool loop: from the end of an answer to the next request, and what many reads at once take. */
export async function toolCalls({ server, folder }) {
  const options = { cwd: folder, env: { TURNSTONE_HOME: `${folder}/tools` } };
  server.forgetRequests();
  const oneByOne = await measure('toolTurn.mjs', [server.url, calls, 1], options);
  const gaps = [];
  // The first three are the warm-up turn's two and the request that begins the measured turn.
  for (let request = 0; request < calls + 3; request++) {
    const { sinceAnswerMs } = await server.nextRequest();
    if (request >= 3) gaps.push(sinceAnswerMs);
  }
  const early = median(gaps.slice(0, 40));
  const late = median(gaps.slice(-40));
  const together = await measure('toolTurn.mjs', [server.url, calls, calls], options);
  server.forgetRequests();
  return [
    [`${calls} calls one by one: end of answer to next request`, ms(median(gaps)), `${ms(oneByOne.cpuMs / calls)} CPU a call, all told`, 'under 5 ms'],
    ['the same, last 40 against first 40', times(late, early), `${ms(early)}, then ${ms(late)}`, 'flat'],
    [`${calls} reads in one message`, ms(together.wallMs), `${ms(together.cpuMs)} CPU`, 'under 300 ms'],
  ];
}
