import { cutText } from '../base/text.ts';
import type { DemoCall, DemoResult, DemoStep, DemoTask } from './plan.ts';
import { StopJob } from './plan.ts';

interface Announced extends DemoCall {
  readonly say: string;
  /** A failure is an answer too (a test run), so the job goes on with it. */
  readonly mayFail?: boolean;
}

/** Calls a tool and hands back its result; ends the job when the user refuses or interrupts, or when the call fails. */
export function* callTool(task: DemoTask, { say, mayFail = false, ...call }: Announced): Generator<DemoStep, DemoResult, DemoResult> {
  if (!task.tools.has(call.name)) throw new StopJob(`For this I need the tool ${call.name}, which is not available here. I have changed nothing with it.`);
  const result = yield { say, call };
  if (!result.isError) return result;
  const refusal = refusalIn(result.text);
  if (refusal !== undefined) throw new StopJob(refusal);
  if (mayFail) return result;
  throw new StopJob(`${call.name} did not work:${quote(result.text)}\n\nI stop here; being a demo, I don't try another way.`);
}

/** Whether the user changed a proposal before accepting it, going by the words of the result. */
export function wasChangedByUser(result: DemoResult): boolean {
  return !result.isError && /\b(the|by the) user\b.{0,60}\b(changed|changes|edited|modified|adjusted)|\b(changed|edited|modified|adjusted) by the user/is.test(result.text);
}

/**
 * What to say when it was the user who stopped or refused a call. Goes by the words of the agent, which names the user:
 * a command's own output may well speak of permissions that were denied.
 */
function refusalIn(text: string): string | undefined {
  if (/\buser\b.{0,40}\b(interrupted|stopped|cancell?ed|aborted)\b|^\W*(request )?interrupted\b/is.test(text)) return 'You stopped me, so I leave it there.';
  if (!/\buser\b.{0,40}\b(reject|declin|den(y|ied)|refus|does(n't| not) want)/is.test(text)) return undefined;
  const reason = /(?:they say|reason|because)\s*:\s*([\s\S]+)/i.exec(text)?.[1]?.trim();
  if (reason === undefined) return 'That was turned down, so nothing was changed by it. Tell me what you would like instead.';
  return `That was turned down:${quote(reason)}\n\nUnderstood. Nothing was changed by it. Tell me what you would like instead, in one of the sentences I know.`;
}

function quote(text: string): string {
  const short = text.length > 600 ? `${cutText(text, 600)}…` : text;
  return `\n\n${short.trim().split('\n').map(line => `> ${line}`).join('\n')}`;
}
