/** Splits a list as it is given on a command line, at commas and spaces outside of brackets: `Bash(npm test:*),Edit Read(./a b)`. */
export function splitRuleList(text: string): string[] {
  const rules: string[] = [];
  let current = '';
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    if (letter === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(letter)) {
      if (current !== '') rules.push(current);
      current = '';
    } else current += letter;
  }
  return current === '' ? rules : [...rules, current];
}
