import { answerBackground } from './answerBackground.ts';
import { wasChangedByUser } from './callTool.ts';
import type { DemoRequest, DoneStep } from './conversation.ts';
import { readConversation } from './conversation.ts';
import type { DemoReply, DemoSkill, DemoTask } from './plan.ts';
import { StopJob } from './plan.ts';
import { introduction, listOfSkills, skills } from './skills.ts';

/** What the demo model says to a request. Pure: the same request gets the same answer. */
export function answerRequest(request: DemoRequest): DemoReply {
  const conversation = readConversation(request, text => findSkill(text) !== undefined);
  const prompt = conversation.prompts.at(-1) ?? '';
  if (conversation.tools.size === 0) {
    const background = answerBackground(conversation);
    if (background !== undefined) return { text: background, call: undefined };
  }
  const found = findSkill(prompt);
  const reply = found === undefined
    ? { text: conversation.isFirstAnswer ? listOfSkills() : `I don't know how to do that. ${listOfSkills()}`, call: undefined }
    : runJob(found.skill, { prompt, words: found.words, cwd: conversation.cwd, tools: conversation.tools }, conversation.done);
  return conversation.isFirstAnswer ? { ...reply, text: `${introduction}\n\n${reply.text}` } : reply;
}

function findSkill(prompt: string): { readonly skill: DemoSkill; readonly words: readonly (string | undefined)[] } | undefined {
  for (const skill of skills) {
    const match = skill.pattern.exec(prompt);
    if (match !== null) return { skill, words: match.slice(1) };
  }
  return undefined;
}

/** Runs a job over what has been done already, up to the first thing that has not. */
function runJob(skill: DemoSkill, task: DemoTask, done: readonly DoneStep[]): DemoReply {
  const job = skill.run(task);
  const last = done.at(-1);
  const preface = last !== undefined && wasChangedByUser(last.result) ? 'You changed my proposal before accepting it; I go on with your version.\n\n' : '';
  try {
    let step = job.next();
    for (const { call, result } of done) {
      if (step.done === true) break;
      if (step.value.call.name !== call.name) return { text: lostThread(call.name), call: undefined };
      step = job.next(result);
    }
    return step.done === true ? { text: preface + step.value, call: undefined } : { text: preface + step.value.say, call: step.value.call };
  } catch (thrown) {
    if (thrown instanceof StopJob) return { text: preface + thrown.message, call: undefined };
    throw thrown;
  }
}

/** The conversation holds steps of another model, or was shortened. */
function lostThread(tool: string): string {
  return `The last step here was a call of ${tool} that I would not have made, so I can't go on from there. Ask again in one of the sentences I know.`;
}
