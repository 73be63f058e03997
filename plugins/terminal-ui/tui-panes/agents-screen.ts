/** `agents`: the subagents of this session as a tree below its turns, and what each said last. */
import { createTranslator, type PluginContext, type TurnEvent } from 'svc/sdk'
import { type OverlayView, type StyledLine, TextLayout, type ThemeColor, type TuiContext } from 'svc/sdk/terminal'
import { List, type Room } from './list.ts'
import { listScreen } from './list-screen.ts'
import { EventLog, every } from './live.ts'
import { matches, toPlainLine } from './text.ts'

const EVERY_MS = 1000
const LOOKS: Readonly<Record<AgentState, readonly [mark: string, role: ThemeColor]>> = {
  running: ['●', 'accent'],
  done: ['✓', 'ok'],
  failed: ['✗', 'error'],
  stopped: ['○', 'dim'],
}

interface Branch {
  readonly agent: AgentNode
  readonly turn: string
  /** Below it in its turn stands another. */
  readonly isLast: boolean
}

export function agentsScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  const log = new EventLog(ctx, ui.conversation.sessionId)
  const tree = new AgentTree()
  tree.take(log.next())
  const list = new List<Branch>(
    layout,
    {
      title: t('Subagents'),
      items: (filter) =>
        listBranches(tree, layout).filter(({ agent }) => matches(agent.goal.toLowerCase(), filter.trim())),
      id: ({ agent }) => `${agent.turnId} ${agent.id}`,
      group: ({ turn }) => turn,
      row: (branch) => ({ left: renderRow(layout, branch) }),
      details: (branch, room) => (branch ? renderDetails(layout, branch.agent, room) : []),
      detailRows: (rows) => Math.floor(rows / 3),
      empty: (filter) => (filter === '' ? t('No subagents yet') : t('Nothing found')),
    },
    'list',
  )
  const close = every(ctx, EVERY_MS, () => {
    const events = log.next()
    if (events.length === 0) return
    tree.take(events)
    list.changed()
    ui.redraw()
  })
  return listScreen<Branch>({ list, keys: () => t('/ filter · Esc close'), key: () => 'ignored', close })
}

function listBranches(tree: AgentTree, layout: TextLayout): readonly Branch[] {
  return tree.turns().flatMap(({ number, text, agents }) => {
    const turn = `${number}. ${toPlainLine(layout, text, 200)}`
    return agents.map((agent, index) => ({ agent, turn, isLast: index === agents.length - 1 }))
  })
}

function renderRow(layout: TextLayout, { agent, isLast }: Branch): StyledLine {
  const [mark, role] = LOOKS[agent.state]
  const words = toPlainLine(layout, agent.words, 300)
  return [
    { text: isLast ? '└─ ' : '├─ ', role: 'border' },
    { text: `${mark} `, role },
    { text: toPlainLine(layout, agent.goal, 300) },
    ...(words === '' ? [] : [{ text: `  ${words}`, role: 'dim' } as const]),
  ]
}

/** All it was asked, and the end of what it said. */
function renderDetails(layout: TextLayout, { goal, words }: AgentNode, { width, rows }: Room): readonly StyledLine[] {
  const asked = layout.wrap([{ text: toPlainLine(layout, goal), role: 'heading' }], width)
  const said = layout.wrap([{ text: layout.clean(words.slice(-4000)).trim() }], width)
  const room = Math.max(1, rows - asked.length)
  return [...asked.slice(0, Math.max(1, rows - 1)), ...said.slice(-room)]
}

type AgentState = 'running' | 'done' | 'failed' | 'stopped'

/** A subagent with the newest of what it said. */
interface AgentNode {
  readonly id: string
  readonly goal: string
  readonly state: AgentState
  readonly words: string
  readonly turnId: string
  /** It outlives its turn. */
  readonly isBackground: boolean
}

/** A turn that has subagents. */
interface AgentTurn {
  /** Counted from 1 over all turns of the session. */
  readonly number: number
  readonly text: string
  readonly agents: readonly AgentNode[]
}

/** The subagents of a session, as its events tell; they are taken in order. */
class AgentTree {
  /** By their turn and their id. */
  readonly #agents = new Map<string, AgentNode>()
  readonly #turns = new Map<string, { readonly number: number; readonly text: string }>()

  take(events: readonly TurnEvent[]): void {
    for (const event of events) this.#take(event)
  }

  /** The newest turn first; those without subagents are left out. */
  turns(): readonly AgentTurn[] {
    const turns = new Map<string, AgentNode[]>()
    for (const agent of this.#agents.values()) turns.set(agent.turnId, [...(turns.get(agent.turnId) ?? []), agent])
    return [...turns]
      .map(([turnId, agents]) => ({ ...(this.#turns.get(turnId) ?? { number: 0, text: '' }), agents }))
      .reverse()
  }

  #take(event: TurnEvent): void {
    const { turnId } = event
    switch (event.type) {
      case 'turn.start':
        this.#turns.set(turnId, { number: this.#turns.size + 1, text: event.text })
        break
      case 'subagent.start':
        this.#agents.set(`${turnId} ${event.id}`, {
          id: event.id,
          goal: event.goal,
          state: 'running',
          words: '',
          turnId,
          isBackground: event.isBackground === true,
        })
        break
      case 'subagent.tool':
        this.#change(this.#getKey(event), { words: `${event.name} ${event.preview}`.trim() })
        break
      case 'subagent.thinking':
      case 'subagent.progress':
        this.#change(this.#getKey(event), { words: event.text })
        break
      case 'subagent.complete':
        this.#change(this.#getKey(event), { words: event.text, state: event.ok ? 'done' : 'failed' })
        break
      case 'turn.end':
        // The outcome of those that were running is not reported any more.
        for (const [key, agent] of this.#agents)
          if (agent.turnId === turnId && agent.state === 'running' && !agent.isBackground)
            this.#change(key, { state: 'stopped' })
    }
  }

  /** One that outlives its turn is told of in a later one. */
  #getKey({ turnId, id }: { readonly turnId: string; readonly id: string }): string {
    const key = `${turnId} ${id}`
    if (this.#agents.has(key)) return key
    return [...this.#agents.keys()].findLast((other) => other.endsWith(` ${id}`)) ?? key
  }

  #change(key: string, change: Partial<AgentNode>): void {
    const agent = this.#agents.get(key)
    if (agent) this.#agents.set(key, { ...agent, ...change })
  }
}
