/**
 * What a chat is shown of a turn: a pure function of its events. The answers, drafts of them where messages can be edited, and,
 * as `display.platforms` says, tools, thoughts and what the turn cost.
 */
import type { ToolCallView, TurnEvent } from 'svc/sdk'
import { isSilentAnswer } from 'svc/sdk/kit/text'
import {
  changeCall,
  escapeMarkdown,
  formatCall,
  isCallShown,
  oneLine,
  startCall,
  type TrackedCall,
} from 'svc/sdk/kit/views'
import { type DisplaySettings, formatCount, formatUsd } from 'svc/sdk/terminal'
import { withoutPaths } from './path-names.ts'
import { type FileEvent, hasFiles } from './turn-files.ts'

/** What is known of the turn under way. */
export interface ChatState {
  readonly turnId: string
  /** Complete messages of the turn. */
  readonly messages: number
  /** The message that is being written. */
  readonly draft: string
  /** How much of it was posted, and when. */
  readonly draftShown: number
  readonly draftAt: number
  /** Tool calls that the model made, the newest last; not those that calls make. */
  readonly calls: readonly ChatCall[]
  readonly thought: string
  readonly thoughts: number
}

/** How the chat shows a turn. Read only where an event needs it, so properties may be getters. */
export interface ChatView {
  /** Milliseconds, by the clock that `draftAt` is compared with. */
  readonly now: number
  /** Milliseconds between two versions of a message that is being written; undefined: only complete messages. */
  readonly draftEveryMs: number | undefined
  /** Undefined: nothing besides answers. */
  readonly display: Pick<DisplaySettings, 'tool_progress' | 'tool_time' | 'show_reasoning' | 'show_cost'> | undefined
  /** How calls of a tool are shown. */
  tool(name: string): ToolCallView | undefined
}

/** What to do in the outbox, in order. A key names the same message also after a restart. */
export type ChatStep =
  | {
      readonly type: 'post'
      readonly key: string
      readonly text: string
      readonly isDraft?: true
      /** The first message of the turn may reply to the message that it answers. */
      readonly isReply?: true
    }
  /** Reads the files of the event and holds them back. */
  | { readonly type: 'hold'; readonly event: FileEvent }
  /** Sends the files held so far. */
  | { readonly type: 'release' }

/** The state after an event, and what the event makes visible. */
export interface Rendered {
  readonly state: ChatState
  readonly steps: readonly ChatStep[]
}

/** A call, and how many messages of the turn were complete when it began: it is listed behind those. */
interface ChatCall extends TrackedCall {
  readonly messages: number
}

/** So much of a new text is worth an edit. */
const DRAFT_STEP = 24
const CURSOR = ' ▌'
const MAX_LINES = 10
const MAX_THOUGHT = 2000
const MAX_INPUT = 80
/** Calls that are listed in one message. */
const MAX_CALLS = 40

/** The state before the first event of a turn. */
export function newTurn(turnId: string, now: number): ChatState {
  return { turnId, messages: 0, draft: '', draftShown: 0, draftAt: now, calls: [], thought: '', thoughts: 0 }
}

/** Applies one event. */
export function render(state: ChatState, event: TurnEvent, view: ChatView): Rendered {
  switch (event.type) {
    case 'turn.start':
    case 'turn.resume':
      return { state: newTurn(event.turnId, view.now), steps: [] }
    case 'reasoning.delta':
      return { state: { ...state, thought: `${state.thought}${event.text}`.slice(-MAX_THOUGHT * 2) }, steps: [] }
    case 'message.delta':
      return after(think(state, view), (next) => grow(next, event.text, view))
    case 'message.complete':
      return after(think(state, view), (next) => complete(next, event.text, view))
    case 'tool.start':
      return event.parent === undefined
        ? after(think(state, view), (next) => startTool(next, event, view))
        : { state, steps: [] }
    case 'tool.running':
    case 'tool.progress':
      return { state: withCall(state, event, view), steps: [] }
    case 'tool.complete':
      return after(completeTool(state, event, view), (next) => hold(next, event))
    case 'turn.end':
      return after({ state, steps: cost(state, event, view) }, (next) => end(next, view))
    default:
      return { state, steps: aside(event) }
  }
}

/** Says that the turn is still under way. */
export function stillWorking({ turnId, calls }: ChatState, text: string, { draftEveryMs }: ChatView): ChatStep {
  const tool = calls.at(-1)?.call.name
  return {
    type: 'post',
    key: `working:${turnId}`,
    text: tool === undefined ? text : `${text} (${tool})`,
    // Where nothing can be edited each version is a message, so it is a final one.
    ...(draftEveryMs !== undefined && { isDraft: true }),
  }
}

function after(first: Rendered, next: (state: ChatState) => Rendered): Rendered {
  const second = next(first.state)
  return first.steps.length === 0 ? second : { state: second.state, steps: [...first.steps, ...second.steps] }
}

function grow(state: ChatState, text: string, view: ChatView): Rendered {
  const draft = state.draft + text
  const grown = { ...state, draft }
  const { draftEveryMs } = view
  if (draftEveryMs === undefined || draft.length - state.draftShown < DRAFT_STEP) return { state: grown, steps: [] }
  const { now } = view
  if (now - state.draftAt < draftEveryMs || !draft.trim()) return { state: grown, steps: [] }
  return {
    state: { ...grown, draftShown: draft.length, draftAt: now },
    steps: [{ ...message(state, draft + CURSOR), isDraft: true }],
  }
}

function complete(state: ChatState, text: string, { now }: ChatView): Rendered {
  const cleared = { ...state, draft: '', draftShown: 0, draftAt: now }
  if (!isSilentAnswer(text))
    return { state: { ...cleared, messages: state.messages + 1 }, steps: [message(state, text), { type: 'release' }] }
  return { state: cleared, steps: state.draftShown > 0 ? [message(state, state.draft)] : [] }
}

/** What was shown of a message that never became whole stays as it is, without the cursor. */
function end(state: ChatState, view: ChatView): Rendered {
  const last = state.draft.trim() ? complete(state, state.draft, view) : { state, steps: [] }
  return { state: { ...last.state, draft: '', draftShown: 0, calls: [] }, steps: [...last.steps, { type: 'release' }] }
}

function message({ turnId, messages }: ChatState, text: string): Extract<ChatStep, { type: 'post' }> {
  return { type: 'post', key: `${turnId}:${messages}`, text, ...(messages === 0 && { isReply: true }) }
}

function hold(state: ChatState, event: TurnEvent): Rendered {
  return { state, steps: hasFiles(event) ? [{ type: 'hold', event }] : [] }
}

function aside(event: TurnEvent): readonly ChatStep[] {
  const key = `${event.turnId}:${event.type}:${event.seq}`
  if (event.type === 'error') return [{ type: 'post', key, text: `⚠️ ${withoutPaths(event.message)}` }]
  if (event.type === 'notice' && !event.isPassing) return [{ type: 'post', key, text: `ℹ️ ${withoutPaths(event.text)}` }]
  return hasFiles(event) ? [{ type: 'hold', event }] : []
}

function startTool(state: ChatState, event: Extract<TurnEvent, { type: 'tool.start' }>, view: ChatView): Rendered {
  const call = startCall(event, { before: state.calls.at(-1), parent: undefined })
  const calls = [...state.calls, { ...call, messages: state.messages }].slice(-MAX_CALLS)
  const next = { ...state, calls }
  const mode = view.display?.tool_progress ?? 'off'
  return { state: next, steps: isCallShown(call, mode) ? callList(next, state.messages, view) : [] }
}

/** A list is posted again when the end of a call changes its line. */
function completeTool(
  state: ChatState,
  event: Extract<TurnEvent, { type: 'tool.complete' }>,
  view: ChatView,
): Rendered {
  const next = withCall(state, event, view)
  const call = next.calls.find(({ callId }) => callId === event.callId)
  if (!call || (view.display?.tool_progress ?? 'off') === 'off') return { state: next, steps: [] }
  const steps = callList(next, call.messages, view)
  const [before] = callList(state, call.messages, view)
  const isSame = before?.type === 'post' && steps[0]?.type === 'post' && before.text === steps[0].text
  return { state: next, steps: isSame ? [] : steps }
}

function withCall(
  state: ChatState,
  event: Extract<TurnEvent, { type: 'tool.running' | 'tool.progress' | 'tool.complete' }>,
  view: ChatView,
): ChatState {
  const at = state.calls.findLastIndex(({ callId }) => callId === event.callId)
  const call = state.calls[at]
  return call ? { ...state, calls: state.calls.with(at, changeCall(call, event, view.now)) } : state
}

/**
 * The calls behind as many messages, in one message that grows. Where messages cannot be edited each call would be a separate
 * one, so none is shown.
 */
function callList({ turnId, calls }: ChatState, messages: number, view: ChatView): readonly ChatStep[] {
  const { draftEveryMs, display } = view
  const mode = display?.tool_progress ?? 'off'
  if (draftEveryMs === undefined) return []
  const shown = calls.filter((call) => call.messages === messages && isCallShown(call, mode))
  if (shown.length === 0) return []
  const text = shown.map((call) => callLine(call, view)).join('\n')
  return [{ type: 'post', key: `tools:${turnId}:${messages}`, text, isDraft: true }]
}

/** With what was given and what came of it only where all is shown. */
function callLine(tracked: TrackedCall, { display, tool }: ChatView): string {
  const { name, state, text = '' } = tracked.call
  const isVerbose = display?.tool_progress === 'verbose'
  const view = tool(name)
  // What a model wrote is shown as it is only where all is shown: a view knows which part says something.
  const shown = view || isVerbose ? tracked : { ...tracked, call: { ...tracked.call, input: {} } }
  const said = withoutPaths(formatCall(shown, view, { most: MAX_INPUT, time: display?.tool_time === true }))
  const line = view ? escapeMarkdown(said) : said
  const mark = state === 'failed' ? ' ✗' : state === 'done' && isVerbose ? ' ✓' : ''
  return `⚙️ ${line}${mark}${isVerbose && mark ? ` ${oneLine(text, MAX_INPUT)}` : ''}`
}

/** The end of what was thought, as a quotation: it is no answer. */
function think(state: ChatState, view: ChatView): Rendered {
  if (state.thought === '') return { state, steps: [] }
  const thought = state.thought.trim()
  const next = { ...state, thought: '' }
  if (!thought || !view.display?.show_reasoning) return { state: next, steps: [] }
  const lines = thought
    .slice(-MAX_THOUGHT)
    .split('\n')
    .filter((line) => line.trim())
  const cut = lines.length > MAX_LINES || thought.length > MAX_THOUGHT ? ['…'] : []
  const text = ['💭', ...cut, ...lines.slice(-MAX_LINES)].map((line) => `> ${line}`).join('\n')
  const key = `thought:${state.turnId}:${state.thoughts}`
  return { state: { ...next, thoughts: state.thoughts + 1 }, steps: [{ type: 'post', key, text }] }
}

function cost(
  { turnId }: ChatState,
  { usage: { input = 0, output = 0, costUsd } }: Extract<TurnEvent, { type: 'turn.end' }>,
  { display }: ChatView,
): readonly ChatStep[] {
  if (!display?.show_cost || input + output === 0) return []
  const money = costUsd === undefined ? '' : `${formatUsd(costUsd)} · `
  return [{ type: 'post', key: `cost:${turnId}`, text: `${money}↑ ${formatCount(input)} ↓ ${formatCount(output)}` }]
}
