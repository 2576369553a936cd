import type { Todo } from '../../src/protocol/messages.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';
import { useUnfolded } from './useUnfolded.ts';

const icons = { pending: 'circle-large', in_progress: 'record', completed: 'pass-filled' } as const;
const words = { pending: 'to do', in_progress: 'in progress', completed: 'done' } as const;

/** The agent's plan: one line that unfolds. */
export function TodoList() {
  const { state } = usePanel();
  const { todos, running, sessionId } = state.value;
  const [shown, toggle] = useUnfolded(`todos:${sessionId ?? ''}`, false);
  if (todos.length === 0) return null;
  const done = todos.filter((todo) => todo.status === 'completed').length;
  const current = todos.find((todo) => todo.status === 'in_progress');
  return (
    <section class="todos" data-testid="todo-list" aria-label="Plan">
      <button type="button" class="fold todos-summary" aria-expanded={shown} onClick={toggle}>
        <Icon name="checklist" />
        <span class="todos-count">
          {done} of {todos.length} done
        </span>
        {current && !shown && <span class="todos-current">{running ? current.activeForm : current.content}</span>}
        <Icon name={shown ? 'chevron-down' : 'chevron-up'} />
      </button>
      {shown && (
        <ul class="todos-list">
          {todos.map((todo, index) => (
            <TodoRow key={index} todo={todo} running={running} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Between turns nothing is being done: what was begun is named as the thing to do. */
function TodoRow({ todo, running }: { readonly todo: Todo; readonly running: boolean }) {
  const isWorkedOn = todo.status === 'in_progress' && running;
  return (
    <li class={`todo todo-${todo.status}`}>
      <Icon name={icons[todo.status]} />
      <span class="sr-only">{todo.status === 'in_progress' && !running ? 'begun' : words[todo.status]}: </span>
      <span>{isWorkedOn ? todo.activeForm : todo.content}</span>
    </li>
  );
}
