import { useState } from 'preact/hooks';
import type { QuestionsView } from '../../src/protocol/chatView.ts';
import type { UserAnswer, UserQuestion } from '../../src/protocol/userQuestions.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';
import { useDeafAtFirst } from './useDeafAtFirst.ts';

interface QuestionCardProps {
  readonly view: QuestionsView;
  /** Called after the user has answered, so that the caret has a place when this card goes. */
  readonly onAnswered: () => void;
}

/** Questions of the model: ready answers to choose from, and room for the user's own. Never takes the focus. */
export function QuestionCard({ view, onAnswered }: QuestionCardProps) {
  const { post } = usePanel();
  const [answers, setAnswers] = useState<readonly UserAnswer[]>(() => view.questions.map(() => ({ chosen: [] })));
  const [answered, setAnswered] = useState(false);
  const deaf = useDeafAtFirst();
  const change = (index: number, answer: UserAnswer): void => setAnswers(answers.map((each, at) => (at === index ? answer : each)));
  const send = (given: readonly UserAnswer[] | null): void => {
    setAnswered(true);
    post({ type: 'questions-answer', id: view.id, answers: given?.map(({ chosen, other }) => ({ chosen: [...chosen], ...(other?.trim() ? { other: other.trim() } : {}) })) ?? null });
    onAnswered();
  };
  const isComplete = answers.every(({ chosen, other }) => chosen.length > 0 || (other ?? '').trim() !== '');
  return (
    <section class="approval questions" data-testid="questions" aria-label="Questions to you">
      <div class="questions-list">
        {view.questions.map((question, index) => (
          <Question key={index} name={`${view.id}-${index}`} question={question} answer={answers[index] ?? { chosen: [] }} onChange={(answer) => change(index, answer)} />
        ))}
      </div>
      <div class="approval-buttons">
        <button type="button" class="button" data-testid="questions-answer" disabled={deaf || answered || !isComplete} onClick={() => send(answers)}>
          Answer
        </button>
        <button type="button" class="button button-secondary" data-testid="questions-skip" disabled={deaf || answered} onClick={() => send(null)}>
          Don't answer
        </button>
      </div>
    </section>
  );
}

interface QuestionProps {
  readonly name: string;
  readonly question: UserQuestion;
  readonly answer: UserAnswer;
  readonly onChange: (answer: UserAnswer) => void;
}

function Question({ name, question, answer, onChange }: QuestionProps) {
  const { chosen } = answer;
  const choose = (label: string): void => {
    const others = chosen.filter((each) => each !== label);
    if (!question.multiSelect) return onChange({ ...answer, chosen: [label] });
    onChange({ ...answer, chosen: others.length < chosen.length ? others : [...chosen, label] });
  };
  return (
    <fieldset class="question" data-testid="question">
      <legend class="approval-title">
        <Icon name="question" />
        <span>{question.question}</span>
      </legend>
      {question.options.map(({ label, description }) => (
        <label key={label} class="option">
          <input type={question.multiSelect ? 'checkbox' : 'radio'} name={name} checked={chosen.includes(label)} onChange={() => choose(label)} />
          <span>
            {label}
            {description && <span class="quiet"> {description}</span>}
          </span>
        </label>
      ))}
      <input
        class="approval-reason"
        type="text"
        data-testid="question-other"
        aria-label={`In your own words: ${question.question}`}
        placeholder="In your own words"
        value={answer.other ?? ''}
        onInput={(event) => onChange({ ...answer, other: event.currentTarget.value })}
      />
    </fieldset>
  );
}
