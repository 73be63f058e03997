/** The state of a stored conversation, made of its messages and of what its events know besides. */
import type { Message, Session } from 'svc/sdk'
import type { ToolCallDisplay } from 'svc/sdk/terminal'
import { listEntries, type StoredEntry } from './entries.ts'
import { type Block, type BlockBody, empty, listBlocks, reduce, type State } from './state.ts'

type ToolBlock = Extract<Block, { kind: 'tool' }>

const RECAP_EXCHANGES = 10
const RECAP_QUESTION = 300
const RECAP_ANSWER = 200

/** The state of a stored conversation: all of it, a recap of its end, or nothing. */
export function recall(session: Session, shown: 'full' | 'minimal' | 'none'): State {
  const messages = session.messages()
  const said = shown === 'none' ? [] : shown === 'full' ? everything(session, messages) : recap(messages)
  const past = [{ kind: 'banner' } as const, ...said].map((body, id): Block => ({ ...body, id }))
  return { ...empty, past, nextId: past.length, ...counts(session) }
}

/** What was counted: tokens of the last call, cost of all. */
function counts(session: Session): Pick<State, 'usage' | 'contextTokens'> {
  let state = empty
  for (const event of session.events())
    if (event.type === 'usage' || event.type === 'compressed') state = reduce({ ...state, past: [] }, { event })
  return { usage: state.usage, contextTokens: state.contextTokens }
}

function everything(session: Session, messages: readonly Message[]): readonly BlockBody[] {
  const results = new Map<string, Pick<ToolCallDisplay, 'data' | 'refusal'>>()
  const summaries: { readonly before: number; readonly after: number; readonly text: string }[] = []
  for (const event of session.events()) {
    if (event.type === 'tool.complete') {
      const { callId, data, refusal } = event
      results.set(callId, { ...(data === undefined ? {} : { data }), ...(refusal && { refusal }) })
    }
    if (event.type === 'compressed') summaries.push(event)
  }
  const said = mapReplies(session)
  const answers = new Map<string, Extract<Message, { role: 'tool' }>>()
  for (const message of messages) if (message.role === 'tool') answers.set(message.callId, message)
  const entries = listEntries(session)
  const inPlace = messages.flatMap((message, at): readonly BlockBody[] => [
    ...entriesAfter(entries, at, at),
    ...messageBlocks(message),
  ])
  return [...inPlace, ...entriesAfter(entries, messages.length, Number.POSITIVE_INFINITY)]

  function messageBlocks(message: Message): readonly BlockBody[] {
    const summary = summaries.find(({ text }) => text.trim() && message.text.includes(text.trim()))
    if (summary) return [{ kind: 'compressed', before: summary.before, after: summary.after, text: summary.text }]
    if (message.role === 'user') return [{ kind: 'user', text: message.text, images: message.images?.length ?? 0 }]
    return message.role === 'assistant' ? assistantBlocks(message, { answers, results, said }) : []
  }
}

/** Those that were added when there were this many messages. */
function entriesAfter(entries: readonly StoredEntry[], from: number, to: number): readonly BlockBody[] {
  return entries
    .filter(({ after }) => after >= from && after <= to)
    .map(({ after: _, ...entry }) => ({ kind: 'entry', entry }))
}

const talk = new Set(['turn.start', 'turn.end', 'tool.start', 'tool.complete'])
const asking = /^(approval|clarify)\./

/** What people said to calls, by call. */
function mapReplies(session: Session): ReadonlyMap<string, Pick<ToolBlock, 'decision' | 'reply'>> {
  let state = empty
  for (const event of session.events())
    if (talk.has(event.type) || asking.test(event.type)) state = reduce(state, { event })
  const calls = listBlocks(state).filter((block) => block.kind === 'tool')
  return new Map(
    calls.map(({ callId, decision, reply }) => [callId, { ...(decision && { decision }), ...(reply && { reply }) }]),
  )
}

function assistantBlocks(
  { reasoning, text, toolCalls = [], images = [] }: Extract<Message, { role: 'assistant' }>,
  {
    answers,
    results,
    said,
  }: {
    readonly answers: ReadonlyMap<string, Extract<Message, { role: 'tool' }>>
    readonly results: ReadonlyMap<string, Pick<ToolCallDisplay, 'data' | 'refusal'>>
    readonly said: ReturnType<typeof mapReplies>
  },
): readonly BlockBody[] {
  const calls = toolCalls.map(({ id, name, input }, at): BlockBody => {
    const answer = answers.get(id)
    const state = answer && !answer.failed ? 'done' : 'failed'
    const result = { ...(answer ? { text: answer.text } : {}), ...results.get(id) }
    const again = toolCalls[at - 1]?.name === name
    return { kind: 'tool', callId: id, call: { name, input, state, ...result }, depth: 0, again, ...said.get(id) }
  })
  return [
    ...(reasoning ? [{ kind: 'reasoning', text: reasoning, open: false } as const] : []),
    ...(text ? [{ kind: 'answer', text, open: false } as const] : []),
    ...calls,
    ...images.map(
      ({ mediaType, data }) => ({ kind: 'image', mediaType, bytes: Math.floor((data.length * 3) / 4) }) as const,
    ),
  ]
}

/** Questions and answers of the end, shortened. */
function recap(messages: readonly Message[]): readonly BlockBody[] {
  const said = messages.filter(({ role, text }) => text && (role === 'user' || role === 'assistant'))
  const starts = [...said.keys()].filter((at) => said[at]?.role === 'user').slice(-RECAP_EXCHANGES)
  return said.slice(starts[0] ?? 0).map(({ role, text }) => {
    const room = role === 'user' ? RECAP_QUESTION : RECAP_ANSWER
    const short = text.length > room ? `${text.slice(0, room).replace(/[\ud800-\udbff]$/, '')} …` : text
    return role === 'user' ? { kind: 'user', text: short, images: 0 } : { kind: 'answer', text: short, open: false }
  })
}
