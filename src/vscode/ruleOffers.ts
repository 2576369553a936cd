import type { ApprovalView } from '../protocol/chatView.ts';
import type { RememberedRule, RuleCheck } from '../protocol/permissionRules.ts';
import type { PermissionAnswer, PermissionRequest } from '../protocol/permissions.ts';
import type { Session } from '../sdk/index.ts';

/** Rules that are offered beside the questions that wait: what would spare the user the same question. */
export class RuleOffers {
  readonly #waiting = new Map<string, PermissionRequest>();
  readonly #kept = new Map<string, RememberedRule>();

  /** While `ask` runs a rule is offered; one that was chosen goes with its answer, if that allows. */
  async during(request: PermissionRequest, ask: () => Promise<PermissionAnswer>): Promise<PermissionAnswer> {
    const id = request.toolUseId;
    this.#waiting.set(id, request);
    try {
      const answer = await ask();
      const rememberRule = this.#kept.get(id);
      return answer.behavior === 'allow' && rememberRule ? { ...answer, rememberRule } : answer;
    } finally {
      this.#waiting.delete(id);
      this.#kept.delete(id);
    }
  }

  /** Call before the answer is given. */
  keep(id: string, rule: RememberedRule): void {
    if (this.#waiting.has(id)) this.#kept.set(id, rule);
  }

  addTo(approvals: readonly ApprovalView[]): readonly ApprovalView[] {
    return approvals.map((approval) => ({ ...approval, suggestedRule: this.#waiting.get(approval.id)?.suggestedRule }));
  }

  /** What a rule that is being typed would do; undefined when the question is gone. */
  async check(id: string, rule: string, session: Session | undefined): Promise<RuleCheck | undefined> {
    const request = this.#waiting.get(id);
    return request && session?.checkPermissionRule(rule, request);
  }
}
