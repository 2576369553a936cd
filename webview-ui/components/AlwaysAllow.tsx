import { useEffect, useState } from 'preact/hooks';
import type { ApprovalView } from '../../src/protocol/chatView.ts';
import type { RememberedRule, RuleCheck, RuleLevel } from '../../src/protocol/permissionRules.ts';
import { usePanel } from './PanelContext.ts';

const levels: readonly (readonly [RuleLevel, string, string])[] = [
  ['session', 'this session', 'Kept with this session only'],
  ['local', 'this project, for me', 'Kept in .claude/settings.local.json'],
  ['project', 'this project, for everyone', 'Kept in .claude/settings.json, which belongs to the project'],
  ['user', 'all my projects', 'Kept in Turnstone’s own settings.json'],
];

/** Milliseconds after the last letter when the host is asked what the rule would do. */
const checkDelay = 150;

interface AlwaysAllowProps {
  readonly approval: ApprovalView;
  readonly disabled: boolean;
  readonly onAllow: (remember: RememberedRule) => void;
}

/** Offers to allow the same from now on: the rule is shown, can be changed, and says what it would do. Enter does not decide. */
export function AlwaysAllow({ approval: { id, suggestedRule = '' }, disabled, onAllow }: AlwaysAllowProps) {
  const { state, post } = usePanel();
  const [isOpen, setIsOpen] = useState(false);
  const [rule, setRule] = useState(suggestedRule);
  const [level, setLevel] = useState<RuleLevel>('session');
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setTimeout(() => post({ type: 'rule-check', id, rule }), checkDelay);
    return () => clearTimeout(timer);
  }, [isOpen, rule, id]);
  if (!isOpen) {
    return (
      <button type="button" class="text-button always-open" data-testid="always-allow" aria-expanded="false" onClick={() => setIsOpen(true)}>
        Always allow…
      </button>
    );
  }
  const checked = state.value.ruleCheck;
  const check = checked?.id === id && checked.rule === rule ? checked.check : undefined;
  return (
    <div class="always" data-testid="always-row">
      <label class="always-label" for="always-rule">
        Allow without asking
      </label>
      <input id="always-rule" class="approval-reason always-rule" type="text" spellcheck={false} data-testid="always-rule" aria-describedby="always-note" aria-invalid={check?.problem !== undefined} value={rule} onInput={(event) => setRule(event.currentTarget.value)} />
      <p id="always-note" class={check && !check.fits ? 'always-note always-wrong' : 'always-note'} role="status" data-testid="always-note">
        {check ? noteOf(check) : '…'}
      </p>
      <div class="always-keep">
        <select class="always-level" data-testid="always-level" aria-label="Where the rule is kept" title={levels.find(([value]) => value === level)![2]} value={level} onChange={(event) => setLevel(levels.find(([value]) => value === event.currentTarget.value)?.[0] ?? level)}>
          {levels.map(([value, label, hint]) => (
            <option key={value} value={value} title={hint}>
              in {label}
            </option>
          ))}
        </select>
        <button type="button" class="button" data-testid="always-save" disabled={disabled || check === undefined || check.problem !== undefined} onClick={() => onAllow({ rule: rule.trim(), level })}>
          Allow and keep
        </button>
        <button type="button" class="text-button" data-testid="always-cancel" onClick={() => setIsOpen(false)}>
          Cancel
        </button>
      </div>
    </div>
  );
}

function noteOf({ problem, covers = '', fits }: RuleCheck): string {
  return problem ?? (fits ? covers : `${covers} It does not cover what is asked now, which would be asked again.`);
}
