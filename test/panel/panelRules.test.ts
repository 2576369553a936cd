import assert from 'node:assert/strict';
import type { ApprovalView } from '../../src/protocol/chatView.ts';
import { panelUnderTest } from './panelUnderTest.ts';

const approval: ApprovalView = { id: 'call', kind: 'command', title: 'Run a command', detail: 'npm test -- --watch' };

describe('always allowing, in the panel', () => {
  const panel = panelUnderTest();
  const byId = (id: string) => panel.page.getByTestId(id);
  const isChecked = (rule: string) => panel.page.waitForFunction((wanted) => window.posted.some((message) => message.type === 'rule-check' && message.rule === wanted), rule);

  it('is not offered where no rule could help', async () => {
    await panel.send({ type: 'approvals-changed', approvals: [approval] });
    await byId('approve').waitFor();
    assert.equal(await byId('always-allow').count(), 0);
  });

  it('shows the rule, says what it would do as it is typed, and sends it with the answer; Enter decides nothing', async () => {
    await panel.send({ type: 'approvals-changed', approvals: [{ ...approval, suggestedRule: 'Bash(npm test:*)' }] });
    await byId('always-allow').click();
    assert.equal(await byId('always-rule').inputValue(), 'Bash(npm test:*)');
    assert.equal(await byId('always-save').isDisabled(), true);
    await isChecked('Bash(npm test:*)');
    await panel.send({ type: 'rule-checked', id: 'call', rule: 'Bash(npm test:*)', check: { covers: 'npm test with any arguments.', fits: true } });
    assert.equal(await byId('always-note').textContent(), 'npm test with any arguments.');

    await byId('always-rule').fill('Bash(npm test');
    await isChecked('Bash(npm test');
    // What was said about another text does not count for this one.
    assert.equal(await byId('always-save').isDisabled(), true);
    await panel.send({ type: 'rule-checked', id: 'call', rule: 'Bash(npm test', check: { problem: 'That is no rule.', fits: false } });
    assert.equal(await byId('always-note').textContent(), 'That is no rule.');
    assert.equal(await byId('always-rule').getAttribute('aria-invalid'), 'true');
    assert.equal(await byId('always-save').isDisabled(), true);

    await byId('always-rule').fill('Bash(npm run:*)');
    await isChecked('Bash(npm run:*)');
    await panel.send({ type: 'rule-checked', id: 'call', rule: 'Bash(npm run:*)', check: { covers: 'npm run with any arguments.', fits: false } });
    assert.match((await byId('always-note').textContent()) ?? '', /does not cover what is asked now/);
    await byId('always-level').selectOption('local');
    await byId('always-rule').press('Enter');
    assert.deepEqual((await panel.posted()).filter(({ type }) => type === 'approval-answer'), []);
    await panel.page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('[data-testid="always-save"]')!.disabled);
    await byId('always-save').click();
    assert.deepEqual((await panel.posted()).filter(({ type }) => type === 'approval-answer'), [{ type: 'approval-answer', id: 'call', behavior: 'allow', remember: { rule: 'Bash(npm run:*)', level: 'local' } }]);
  });

  it('offers the mode that asks nothing only where the settings allow it', async () => {
    const status = { model: 'm', permissionMode: 'default', demo: false, needsKey: false, cost: '$0.00', contextShare: 0 } as const;
    const offered = () => byId('permission-mode').locator('option').allTextContents();
    await panel.send({ type: 'status-changed', status });
    assert.deepEqual(await offered(), ['Ask', 'Accept edits', 'Plan']);
    await panel.send({ type: 'status-changed', status: { ...status, mayBypass: true } });
    assert.deepEqual(await offered(), ['Ask', 'Accept edits', 'Plan', 'Bypass']);
  });
});
