import type { ApprovalView } from '../protocol/chatView.ts';
import type { RememberedRule, RuleCheck } from '../protocol/permissionRules.ts';
import type { PermissionAnswer, PermissionRequest } from '../protocol/permissions.ts';
import type { Session } from '../sdk/index.ts';

/** Rules that are offered beside the questions that wait: what would spare the user the same question. */
export class RuleOffers {
  readonly #waiting = new Map<string, PermissionRequest>();
  readonly #kept = new Map<string, RememberedRule>();
  /** By card: the calls that it stands for. */
  readonly #calls = new Map<string, readonly string[]>();

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

  /** `id` is that of the card. Call before the answer is given. */
  keep(id: string, rule: RememberedRule): void {
    const [first] = this.#callsOf(id);
    if (first) this.#kept.set(first.toolUseId, rule);
  }

  /** A set of proposals is offered a rule where the same one would do for all of them. */
  addTo(approvals: readonly ApprovalView[]): readonly ApprovalView[] {
    this.#calls.clear();
    return approvals.map((approval) => {
      this.#calls.set(approval.id, approval.calls ?? [approval.id]);
      const [suggestedRule, ...others] = new Set(this.#callsOf(approval.id).map((request) => request.suggestedRule));
      return others.length === 0 ? { ...approval, suggestedRule } : approval;
    });
  }

  /** What a rule that is being typed would do; undefined when the question is gone. */
  async check(id: string, rule: string, session: Session | undefined): Promise<RuleCheck | undefined> {
    const checks = await Promise.all(this.#callsOf(id).flatMap((request) => session?.checkPermissionRule(rule, request) ?? []));
    return checks.find(({ fits }) => !fits) ?? checks[0];
  }

  #callsOf(id: string): readonly PermissionRequest[] {
    return (this.#calls.get(id) ?? []).flatMap((call) => this.#waiting.get(call) ?? []);
  }
}
