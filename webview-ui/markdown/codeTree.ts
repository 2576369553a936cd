/** A piece of code: plain text, or pieces that share a meaning ("keyword", "string"). */
export type CodeNode = string | { readonly scope: string; readonly children: readonly CodeNode[] };

/**
 * What highlight.js writes its result into, in place of HTML text: a tree, so that no HTML is ever put together from
 * what a model wrote. The names of the methods are those that highlight.js calls.
 */
export class CodeTree {
  readonly nodes: CodeNode[] = [];
  readonly #open: CodeNode[][] = [this.nodes];

  addText(text: string): void {
    if (text !== '') this.#open.at(-1)?.push(text);
  }

  startScope(scope: string): void {
    const children: CodeNode[] = [];
    this.#open.at(-1)?.push({ scope, children });
    this.#open.push(children);
  }

  endScope(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(other: CodeTree, name: string): void {
    this.#open.at(-1)?.push({ scope: `language-${name}`, children: other.nodes });
  }

  finalize(): void {
    this.#open.length = 1;
  }

  toHTML(): string {
    return '';
  }
}
