import { KeyCard } from './KeyCard.tsx';
import { usePanel } from './PanelContext.ts';

/** Jobs that the demo model knows. */
const demoPrompts = ['Explain cart.ts', 'Rename total to sum in cart.ts and run the tests', 'Fix the failing test'];

/** What stands in an empty session. */
export function Welcome() {
  const { state, fillComposer } = usePanel();
  const { status } = state.value;
  return (
    <main class="welcome" tabIndex={0}>
      {status?.needsKey ? (
        <KeyCard />
      ) : (
        <>
          <h2>What should be done?</h2>
          <p>You see every change before it is written, and you can go back to any message: files, conversation, or both.</p>
          {status?.demo && (
            <ul class="welcome-prompts" aria-label="Things to try">
              {demoPrompts.map((prompt) => (
                <li key={prompt}>
                  <button type="button" class="prompt-button" onClick={() => fillComposer(prompt)}>
                    {prompt}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </main>
  );
}
