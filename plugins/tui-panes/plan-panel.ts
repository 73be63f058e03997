/** The widget `todo`: the plan of the session while something of it is open. */
import {
  type Conversation,
  type Line,
  type PluginContext,
  Sessions,
  TextLayout,
  type TextRole,
  type ToolRequest,
  type ToolResult,
  translator,
  type Widget,
} from 'svc/sdk'
import { PLAN_TOOL, type PlanItem, type PlanStatus, planIn, planOf } from './plan.ts'
import { plain } from './text.ts'

const LOOKS: Readonly<Record<PlanStatus, readonly [mark: string, role: TextRole]>> = {
  completed: ['✓', 'ok'],
  in_progress: ['▸', 'accent'],
  pending: ['○', 'text'],
  cancelled: ['✗', 'dim'],
}
/** Sessions whose plans are remembered. */
const MOST_PLANS = 50

export class PlanPanel implements Widget {
  readonly name = 'todo'
  readonly #ctx: PluginContext<undefined>
  readonly #plans = new Map<string, readonly PlanItem[]>()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  /** A tool has answered. The tool stored its plan before. */
  completed(result: ToolResult, { name, turn }: ToolRequest): void {
    const plan = name === PLAN_TOOL && !result.failed ? planIn(result.data) : undefined
    if (plan) this.#keep(turn.sessionId, plan)
  }

  lines(
    { sessionId }: Conversation,
    { width, rows }: { readonly width: number; readonly rows: number },
  ): readonly Line[] {
    const plan = this.#plans.get(sessionId) ?? this.#keep(sessionId, this.#read(sessionId))
    const done = plan.filter(({ status }) => status === 'completed' || status === 'cancelled').length
    if (rows < 1 || done === plan.length) return []
    const t = translator(this.#ctx)
    const layout = this.#ctx.use(TextLayout)
    const head: Line = [
      { text: t('Plan'), role: 'title' },
      { text: ` ${done}/${plan.length}`, role: 'dim' },
    ]
    const current =
      plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending')
    const items = rows === 1 ? [] : around(plan, current, rows - 1)
    const first = rows === 1 && current ? [...head, { text: '  ' }, ...this.#item(current)] : head
    return [first, ...items.map((item) => this.#item(item))].map((line) => layout.cut(line, width))
  }

  /** Once for a session; later ones come through `completed`. */
  #read(sessionId: string): readonly PlanItem[] {
    return planOf(this.#ctx.use(Sessions).open(sessionId).history())
  }

  #keep(sessionId: string, plan: readonly PlanItem[]): readonly PlanItem[] {
    this.#plans.delete(sessionId)
    this.#plans.set(sessionId, plan)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size > MOST_PLANS && oldest !== undefined) this.#plans.delete(oldest)
    return plan
  }

  #item({ content, status }: PlanItem): Line {
    const [mark, role] = LOOKS[status]
    const text = plain(this.#ctx.use(TextLayout), content, 300)
    const isOver = status === 'completed' || status === 'cancelled'
    return [
      { text: `${mark} `, role },
      { text, role: isOver ? 'dim' : 'text', ...(status === 'cancelled' && { strike: true }) },
    ]
  }
}

/** As many as there is room for, with the one under way and what follows it, and one before. */
function around(plan: readonly PlanItem[], current: PlanItem | undefined, room: number): readonly PlanItem[] {
  const at = current ? plan.indexOf(current) : 0
  const first = Math.max(0, Math.min(at - 1, plan.length - room))
  return plan.slice(room === 1 ? at : first, room === 1 ? at + 1 : first + room)
}
