import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';

/** A few thousand words of Markdown, so that streaming, scrolling and stopping can be tried. Calls no tool. */
export const longAnswer: DemoSkill = {
  example: 'write a long answer about shopping carts',
  pattern: /\blong\s+(?:answer|text|story|essay)\b(?:\s+(?:about|on)\s+([^\n.!?]+))?/i,
  // oxlint-disable-next-line require-yield
  *run(task: DemoTask): DemoJob {
    const topic = (task.words[0] ?? 'small programs').trim();
    const head = `# On ${topic}\n\nThis text is put together from a few building blocks; it is long on purpose and has little to say. Press Esc at any time to stop it.`;
    return [head, ...chapters.map((chapter, index) => chapterText(chapter, index, topic)), closing(topic)].join('\n\n');
  },
};

interface Chapter {
  readonly title: string;
  readonly aim: string;
  readonly habit: string;
  readonly risk: string;
}

const chapters: readonly Chapter[] = [
  { title: 'Names', aim: 'names that can be read aloud', habit: 'say what a thing is before how it works', risk: 'two words for one thing' },
  { title: 'Size', aim: 'parts that fit on a screen', habit: 'split where the subject changes', risk: 'a part that everybody is afraid to touch' },
  { title: 'Numbers', aim: 'amounts kept in whole cents', habit: 'round once, at the end', risk: 'sums that are off by one cent' },
  { title: 'Tests', aim: 'a test for each promise', habit: 'see a test fail before it passes', risk: 'tests that can only succeed' },
  { title: 'Errors', aim: 'messages that say what to do next', habit: 'tell what was kept and what was lost', risk: 'a failure that nobody notices' },
  { title: 'History', aim: 'steps that can be taken back', habit: 'write down why, since the code says what', risk: 'a change that nobody can explain' },
  { title: 'Order', aim: 'things that depend on each other in one direction', habit: 'decide first and act afterwards', risk: 'a circle of parts that need each other' },
  { title: 'Speed', aim: 'work that grows no faster than its input', habit: 'measure before and after', risk: 'a shortcut that is slower than the road' },
  { title: 'Reading', aim: 'a text that is read more often than written', habit: 'put the important thing first', risk: 'comments that tell yesterday\'s truth' },
  { title: 'Ending', aim: 'a clean end for everything that begins', habit: 'close a thing in the place that opened it', risk: 'something left running in the dark' },
];

function chapterText({ title, aim, habit, risk }: Chapter, index: number, topic: string): string {
  const rotated = [...paragraphs.slice(index % paragraphs.length), ...paragraphs.slice(0, index % paragraphs.length)];
  const text = rotated.slice(0, 5).map(paragraph => paragraph.replaceAll('{aim}', aim).replaceAll('{habit}', habit).replaceAll('{risk}', risk).replaceAll('{topic}', topic));
  const extra = extras[index % extras.length]?.({ title, aim, habit, risk }) ?? '';
  return [`## ${index + 1}. ${title}`, ...text.slice(0, 3), extra, ...text.slice(3)].join('\n\n');
}

const paragraphs: readonly string[] = [
  'Whoever thinks about {topic} for longer than an afternoon comes back to the same wish: **{aim}**. It sounds like a matter of taste, and it is not. It decides how long the next change takes, how sure one can be of it, and whether somebody else can make it while the author is away.',
  'The habit that leads there is easy to state: _{habit}_. It costs little on the first day, and on the hundredth day it has paid for itself many times over, because nobody has to find out again what was known once. Habits are cheaper than rules: a rule has to be enforced, a habit is simply what happens.',
  'The danger on the other side is {risk}. It never arrives with a bang. It comes in small steps, each of them reasonable, each made by somebody who had good grounds and little time, until one day the sum of the steps is in the way of everything. By then it is expensive, and in the case of {topic} it is usually noticed by the wrong people.',
  'A useful exercise is to take an hour, one piece of paper and a single question: where do we have {aim}, and where not? The answers are rarely surprising. What surprises is how short the list is, and how many of its entries could be crossed out by lunch. With {topic} this works particularly well, since everybody has an opinion on it.',
  'It helps to look at how others live with {topic}. Some keep to the rule "{habit}" without ever having written it down, and one sees it in their work at once. Others have written it down in three places and do not keep to it. The difference is not knowledge; it is that the former look at their work again after a week, with the eyes of a stranger.',
  'None of this should be taken too far. There are days on which {risk} is the smaller evil, because something is on fire, and a demo that lectures about {topic} is the last thing anybody needs. But such days should be rare, and afterwards somebody should come back with a broom. That, too, is a habit, and perhaps the most valuable one of all.',
];

const extras: readonly ((chapter: Chapter) => string)[] = [
  ({ aim, habit, risk }) => `- What we want: ${aim}.\n- What we do for it: ${habit}.\n  - on good days, without thinking\n  - on bad days, all the more\n- What we avoid: ${risk}.`,
  ({ title }) => `\`\`\`ts\n/** The ${title.toLowerCase()} of a cart, as an example. */\nexport function ${title.toLowerCase()}Of(cart: Cart): number {\n  return cart.lines.reduce((sum, line) => sum + line.quantity, 0);\n}\n\`\`\``,
  ({ aim, habit, risk }) => `| question | answer |\n| --- | --- |\n| What is it for? | ${aim} |\n| What helps? | ${habit} |\n| What hurts? | ${risk} |`,
  ({ habit, risk }) => `1. First, ${habit}.\n2. Then look at what has come of it.\n3. If it is ${risk}, start again, with a smaller piece.`,
  ({ aim }) => `> Nobody ever regretted ${aim}.\n> Many have regretted the opposite.`,
];

function closing(topic: string): string {
  return `## In short\n\nThat was a long text about ${topic}. Nothing in it was thought of by a model, and nothing in it needs to be remembered.`;
}
