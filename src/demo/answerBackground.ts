import type { DemoConversation } from './conversation.ts';

/** Answers to requests that the agent makes for itself, without tools: a title or a summary. Undefined for anything else. */
export function answerBackground({ system, prompts }: DemoConversation): string | undefined {
  const asked = `${system}\n${prompts.at(-1) ?? ''}`;
  if (/\btitle\b/i.test(asked)) return titleOf(prompts[0] ?? '');
  if (/\bsummar(y|ise|ize)\b/i.test(asked)) return summaryOf(prompts);
  return undefined;
}

function titleOf(prompt: string): string {
  const words = prompt.replaceAll('`', '').split(/\s+/).filter(word => word !== '').slice(0, 6).join(' ');
  return words === '' ? 'Demo' : words.charAt(0).toUpperCase() + words.slice(1);
}

function summaryOf(prompts: readonly string[]): string {
  const asked = prompts.slice(0, -1).map(prompt => `- ${prompt.split('\n')[0] ?? ''}`);
  return `Summary by the demo model. The user asked for:\n${asked.join('\n') || '- nothing yet'}`;
}
