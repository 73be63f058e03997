/** The widget `todo`: the plan of the session while something of it is open. */
import { type Conversation, createTranslator, type PluginContext, Sessions } from 'svc/sdk'
import { type PlanStatus, type PlanStep, SessionPlan } from 'svc/sdk/sessions'
import { type StyledLine, TextLayout, type ThemeColor, type Widget } from 'svc/sdk/terminal'
import { toPlainLine } from './text.ts'

const LOOKS: Readonly<Record<PlanStatus, readonly [mark: string, role: ThemeColor]>> = {
  completed: ['✓', 'ok'],
  in_progress: ['▸', 'accent'],
  pending: ['○', 'text'],
  cancelled: ['✗', 'dim'],
}

export class PlanPanel implements Widget {
  readonly name = 'todo'
  readonly #ctx: PluginContext<undefined>

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  lines(
    { sessionId }: Conversation,
    { width, rows }: { readonly width: number; readonly rows: number },
  ): readonly StyledLine[] {
    const plan = this.#ctx.use(Sessions).open(sessionId).state(SessionPlan) ?? []
    const done = plan.filter(({ status }) => status === 'completed' || status === 'cancelled').length
    if (rows < 1 || done === plan.length) return []
    const t = createTranslator(this.#ctx)
    const layout = this.#ctx.use(TextLayout)
    const head: StyledLine = [
      { text: t('Plan'), role: 'title' },
      { text: ` ${done}/${plan.length}`, role: 'dim' },
    ]
    const current =
      plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending')
    const items = rows === 1 ? [] : around(plan, current, rows - 1)
    const first = rows === 1 && current ? [...head, { text: '  ' }, ...this.#item(current)] : head
    return [first, ...items.map((item) => this.#item(item))].map((line) => layout.cut(line, width))
  }

  #item({ content, status }: PlanStep): StyledLine {
    const [mark, role] = LOOKS[status]
    const text = toPlainLine(this.#ctx.use(TextLayout), content, 300)
    const isOver = status === 'completed' || status === 'cancelled'
    return [
      { text: `${mark} `, role },
      { text, role: isOver ? 'dim' : 'text', ...(status === 'cancelled' && { strike: true }) },
    ]
  }
}

/** As many as there is room for, with the one under way and what follows it, and one before. */
function around(plan: readonly PlanStep[], current: PlanStep | undefined, room: number): readonly PlanStep[] {
  const at = current ? plan.indexOf(current) : 0
  const first = Math.max(0, Math.min(at - 1, plan.length - room))
  return plan.slice(room === 1 ? at : first, room === 1 ? at + 1 : first + room)
}
