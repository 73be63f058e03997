/** What is shown of a conversation: a pure function of the events of its turns and of what is said besides. */
import type { ImageContent, ResultFile, TurnEndReason, TurnEvent, Usage } from 'svc/sdk'
import { changeCall, foundCall, isCallOver, startCall, type TrackedCall } from 'svc/sdk/kit/views'
import { type ConversationNotice, totalUsage } from 'svc/sdk/sessions'
import type { SessionEntry } from 'svc/sdk/terminal'

/** A subagent, as far as it has come. */
export interface Subagent {
  readonly id: string
  readonly goal: string
  readonly state: 'running' | 'done' | 'failed'
  readonly text: string
}

/** What people decided. */
export interface Decision {
  readonly action: string
  readonly choice: string
  readonly by: string
}

/** A question to people, and what they said. */
export interface Reply {
  readonly question: string
  readonly answer: string
  readonly by: string
}

/** A piece of the transcript. Times are milliseconds since 1970 and unknown for what was stored. */
export type BlockBody =
  | { readonly kind: 'banner' }
  | { readonly kind: 'user'; readonly text: string; readonly images: number; readonly at?: number | undefined }
  | { readonly kind: 'typed'; readonly text: string }
  /** Of a plugin. */
  | { readonly kind: 'entry'; readonly entry: SessionEntry }
  | { readonly kind: 'reasoning' | 'answer'; readonly text: string; readonly open: boolean }
  | ({
      readonly kind: 'tool'
      /** What people said when they were asked whether it may run. */
      readonly decision?: Decision
      /** What it asked of people, and their answer. */
      readonly reply?: Reply
    } & TrackedCall)
  | { readonly kind: 'agents'; readonly agents: readonly Subagent[] }
  /** About no call that is known. */
  | ({ readonly kind: 'approval' } & Decision)
  | ({ readonly kind: 'clarify' } & Reply)
  | { readonly kind: 'steer'; readonly text: string }
  | { readonly kind: 'said'; readonly text: string; readonly tone: ConversationNotice['tone'] }
  | {
      readonly kind: 'notice'
      readonly text: string
      readonly tone: ConversationNotice['tone']
      readonly code?: string
    }
  | { readonly kind: 'image'; readonly mediaType: string; readonly bytes: number }
  | { readonly kind: 'compressed'; readonly before: number; readonly after: number; readonly text: string }
  | {
      readonly kind: 'end'
      readonly reason: TurnEndReason
      readonly usage: Usage
      readonly ms?: number | undefined
      readonly at?: number | undefined
    }
/** Ids count up by one from block to block. */
export type Block = BlockBody & { readonly id: number }

/** All that is known. Every change makes a new one; blocks that stay the same stay the same object. */
export interface State {
  /** Blocks of turns that are over. */
  readonly past: readonly Block[]
  /** Blocks of the turn under way. */
  readonly turn: readonly Block[]
  readonly nextId: number
  readonly busySince?: number | undefined
  readonly busy: boolean
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** Tokens of the conversation, as the last call of the model counted. */
  readonly contextTokens?: number | undefined
  readonly usage: Usage
  /** The model has written something since it was called. */
  readonly answered: boolean
  /** What was asked of people and is not answered, by id. */
  readonly asked: Readonly<Record<string, OpenQuestion>>
}

/** A question that is open, and the call that it is about. */
interface OpenQuestion {
  readonly text: string
  readonly callId: string | undefined
}

/** What is put in: an event, or a block of this interface's own. */
export type Entry =
  | { readonly event: TurnEvent; readonly at?: number | undefined; readonly images?: number }
  | { readonly block: BlockBody }

/** Older blocks than these are dropped; the session keeps everything. */
const MAX_BLOCKS = 20_000

/** Nothing yet. */
export const empty: State = { past: [], turn: [], nextId: 0, busy: false, usage: {}, answered: false, asked: {} }

/** Everything in order. */
export function listBlocks(state: State): readonly Block[] {
  return state.turn.length === 0 ? state.past : [...state.past, ...state.turn]
}

/** The state after the entry. */
export function reduce(state: State, entry: Entry): State {
  if ('event' in entry) return reduceEvent(state, entry.event, entry.at, entry.images ?? 0)
  return add(state, entry.block)
}

function add(state: State, body: BlockBody): State {
  const block = { ...body, id: state.nextId } as Block
  const nextId = state.nextId + 1
  if (state.busy) return { ...state, nextId, turn: [...state.turn, block] }
  return { ...state, nextId, past: [...state.past, block].slice(-MAX_BLOCKS) }
}

function reduceEvent(state: State, event: TurnEvent, at: number | undefined, images: number): State {
  switch (event.type) {
    case 'turn.start': {
      const { provider, model, text } = event
      const begun: State = { ...settle(state), busy: true, busySince: at, provider, model, answered: false }
      return text || images ? add(begun, { kind: 'user', text, images, at }) : begun
    }
    case 'turn.resume':
      return { ...settle(state), busy: true, busySince: at, answered: false }
    case 'turn.end':
      return settle(endTurn(state, event, at))
    case 'model.start':
      return { ...close(state), provider: event.provider, model: event.model, answered: false }
    case 'usage':
      return countUsage(state, event.usage)
    case 'message.delta':
      return grow(state, 'answer', event.text)
    case 'reasoning.delta':
      return grow(state, 'reasoning', event.text)
    case 'message.complete':
      return close(state.answered || !event.text ? state : grow(state, 'answer', event.text))
    default:
      return reduceWork(state, event, at)
  }
}

/** What happens between the words of the model. */
function reduceWork(state: State, event: TurnEvent, at: number | undefined): State {
  switch (event.type) {
    case 'tool.start':
      return startTool(close(state), event)
    case 'tool.running':
    case 'tool.progress':
      return changeTool(state, event.callId, (tool) => changeCall(tool, event, at))
    case 'tool.complete':
      return withFiles(withImages(completeTool(state, event, at), event.images ?? []), event.files)
    case 'image':
      return withImages(close(state), [event.image])
    case 'subagent.start':
    case 'subagent.thinking':
    case 'subagent.tool':
    case 'subagent.progress':
    case 'subagent.complete':
      return changeAgent(state, event)
    default:
      return reduceAsides(state, event)
  }
}

function reduceAsides(state: State, event: TurnEvent): State {
  switch (event.type) {
    case 'steer':
      return add(close(state), { kind: 'steer', text: event.text })
    case 'compressed': {
      const { before, after, text } = event
      return { ...add(close(state), { kind: 'compressed', before, after, text }), contextTokens: after }
    }
    case 'notice':
      return add(state, { kind: 'notice', text: event.text, tone: 'info' })
    case 'error':
      return add(close(state), { kind: 'notice', text: event.message, tone: 'error', code: event.code })
    case 'approval.request': {
      const { id, tool, action } = event.request
      return asks(state, id, tool, action)
    }
    case 'approval.answer': {
      const { id, choice, by } = event
      const { rest, asked } = answerQuestion(state, id)
      const decision = { action: asked.text, choice, by }
      if (asked.callId === undefined) return add(close(rest), { kind: 'approval', ...decision })
      return changeTool(rest, asked.callId, (tool) => ({ ...tool, decision }))
    }
    case 'clarify.request':
      return asks(state, event.question.id, 'clarify', event.question.text)
    case 'clarify.answer': {
      const { id, text, by } = event
      const { rest, asked } = answerQuestion(state, id)
      const reply = { question: asked.text, answer: text, by }
      if (asked.callId === undefined) return add(close(rest), { kind: 'clarify', ...reply })
      return changeTool(rest, asked.callId, (tool) => ({ ...tool, reply }))
    }
    default:
      return state
  }
}

function asks(state: State, id: string, tool: string, text: string): State {
  return { ...state, asked: { ...state.asked, [id]: { text, callId: findAskedCall(state, tool, text) } } }
}

/** The call of this tool that a question is about: events do not say which, but its input has the words. */
function findAskedCall(state: State, name: string, words: string): string | undefined {
  const taken = new Set(Object.values(state.asked).map(({ callId }) => callId))
  const open = state.turn
    .filter((block) => block.kind === 'tool')
    .filter(({ callId, call, decision, reply }) => {
      return call.name === name && !isCallOver(call) && !decision && !reply && !taken.has(callId)
    })
  const text = JSON.stringify(words).slice(1, -1)
  return (open.find(({ call }) => JSON.stringify(call.input)?.includes(text)) ?? open[0])?.callId
}

function answerQuestion(state: State, id: string): { readonly rest: State; readonly asked: OpenQuestion } {
  const { [id]: found, ...asked } = state.asked
  return { rest: { ...state, asked }, asked: found ?? { text: '', callId: undefined } }
}

function countUsage(state: State, usage: Usage): State {
  const read = usage.input === undefined ? undefined : usage.input + (usage.output ?? 0)
  return { ...state, usage: totalUsage(state.usage, usage), contextTokens: read ?? state.contextTokens }
}

/** Words go to the piece that is still open, also when something else was said meanwhile. */
function grow(state: State, kind: 'answer' | 'reasoning', text: string): State {
  if (text === '') return state
  const answered = state.answered || kind === 'answer'
  const at = state.turn.findLastIndex((block) => isOpen(block))
  const open = state.turn[at]
  if (open?.kind !== kind) return { ...add({ ...close(state), busy: true }, { kind, text, open: true }), answered }
  return { ...state, answered, turn: state.turn.with(at, { ...open, text: open.text + text }) }
}

const isOpen = (block: Block) => (block.kind === 'answer' || block.kind === 'reasoning') && block.open

function close(state: State): State {
  const at = state.turn.findLastIndex((block) => isOpen(block))
  const block = state.turn[at]
  if (block?.kind !== 'answer' && block?.kind !== 'reasoning') return state
  return { ...state, turn: state.turn.with(at, { ...block, open: false }) }
}

type ToolBlock = Extract<Block, { kind: 'tool' }>

function startTool(state: State, event: Extract<TurnEvent, { type: 'tool.start' }>): State {
  const parent = event.parent === undefined ? undefined : toolAt(state, event.parent).tool
  const before = state.turn.findLast((block) => block.kind === 'tool')
  return add(state, { kind: 'tool', ...startCall(event, { before, parent }) })
}

function toolAt(state: State, callId: string): { readonly at: number; readonly tool: ToolBlock | undefined } {
  const at = state.turn.findLastIndex((block) => block.kind === 'tool' && block.callId === callId)
  return { at, tool: state.turn[at] as ToolBlock | undefined }
}

function changeTool(state: State, callId: string, change: (tool: ToolBlock) => ToolBlock): State {
  const { at, tool } = toolAt(state, callId)
  return tool ? { ...state, turn: state.turn.with(at, change(tool)) } : state
}

function completeTool(
  state: State,
  event: Extract<TurnEvent, { type: 'tool.complete' }>,
  at: number | undefined,
): State {
  // A call that was cut off by a crash is completed in a turn that shows its start no more.
  const known = toolAt(state, event.callId).tool
    ? state
    : add({ ...state, busy: true }, { kind: 'tool', ...foundCall(event) })
  return changeTool(known, event.callId, (tool) => changeCall(tool, event, at))
}

function withImages(state: State, images: readonly ImageContent[]): State {
  return images.reduce(
    (sum, { mediaType, data }) => add(sum, { kind: 'image', mediaType, bytes: Math.floor((data.length * 3) / 4) }),
    state,
  )
}

/** A terminal cannot show files: their paths can be copied. */
function withFiles(state: State, files: readonly ResultFile[] = []): State {
  return files.reduce((sum, { path }) => add(sum, { kind: 'notice', text: `📎 ${path}`, tone: 'info' }), state)
}

type AgentEvent = Extract<
  TurnEvent,
  { type: 'subagent.start' | 'subagent.thinking' | 'subagent.tool' | 'subagent.progress' | 'subagent.complete' }
>

/** Subagents that run beside each other are one tree. */
function changeAgent(state: State, event: AgentEvent): State {
  const at = state.turn.findLastIndex((block) => block.kind === 'agents')
  const tree = state.turn[at]
  const agents = tree?.kind === 'agents' ? tree.agents : []
  if (event.type !== 'subagent.start') {
    const changed = agents.map((agent) => (agent.id === event.id ? { ...agent, ...toProgress(event) } : agent))
    return tree?.kind === 'agents' ? { ...state, turn: state.turn.with(at, { ...tree, agents: changed }) } : state
  }
  const agent: Subagent = { id: event.id, goal: event.goal, state: 'running', text: '' }
  const joins = tree?.kind === 'agents' && agents.some(({ state: each }) => each === 'running')
  if (!joins) return add(close(state), { kind: 'agents', agents: [agent] })
  return { ...state, turn: state.turn.with(at, { ...tree, agents: [...agents, agent] }) }
}

function toProgress(event: Exclude<AgentEvent, { type: 'subagent.start' }>): Partial<Subagent> {
  if (event.type === 'subagent.progress' || event.type === 'subagent.thinking') return { text: event.text }
  if (event.type === 'subagent.tool') return { text: `${event.name} ${event.preview}`.trim() }
  return { state: event.ok ? 'done' : 'failed', text: event.text }
}

function endTurn(state: State, event: Extract<TurnEvent, { type: 'turn.end' }>, at: number | undefined): State {
  const { reason, usage } = event
  const ms = at === undefined || state.busySince === undefined ? undefined : at - state.busySince
  return addBeforeSaid(close(state), { kind: 'end', reason, usage, ms, at })
}

/** Behind the turn itself: commands that were typed meanwhile, and their answers, are no part of it. */
function addBeforeSaid(state: State, body: BlockBody): State {
  const at = state.turn.findLastIndex(({ kind }) => kind !== 'typed' && kind !== 'said') + 1
  const [first, ...others] = state.turn.slice(at)
  if (!first) return add(state, body)
  const later = [first, ...others].map((block) => ({ ...block, id: block.id + 1 }))
  const turn = [...state.turn.slice(0, at), { ...body, id: first.id } as Block, ...later]
  return { ...state, nextId: state.nextId + 1, turn }
}

/** The turn is over: its blocks change no more. Calls without a result have failed. */
function settle(state: State): State {
  const { busySince: _, ...rest } = close(state)
  const turn = rest.turn.map((block): Block => {
    if (block.kind !== 'tool' || isCallOver(block.call)) return block
    return { ...block, call: { ...block.call, state: 'failed' } }
  })
  const past = turn.length === 0 ? rest.past : [...rest.past, ...turn].slice(-MAX_BLOCKS)
  return { ...rest, busy: false, asked: {}, turn: [], past }
}
