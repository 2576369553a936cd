/** A codicon; decoration only, so the words beside it or the button's label must say the same. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}
