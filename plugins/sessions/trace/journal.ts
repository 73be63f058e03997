/** What the journal of a session knows of a turn: tools, approvals, refusals and failures. */
import { errorCode, type SessionSummary, type Sessions, type TurnEvent } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'

/** A line of it. */
export interface JournalLine {
  readonly turnId: string
  readonly text: string
  /** Something went another way than was wanted. */
  readonly isTrouble: boolean
  /** It only says how the turn ended, not why. */
  readonly isEnd?: true
}

/** Where lines come from. */
export interface JournalDeps {
  readonly sessions: () => Sessions
  /** Without secrets: inputs of tools are shown. */
  readonly mask: (text: string) => string
}

const MAX_LENGTH = 200

/** Lines of the turns that these ids name, by their ids or keys, in those sessions that are among the ids. */
export function readJournal(deps: JournalDeps, ids: readonly string[]): JournalLine[] {
  const named = new Set(ids)
  return [...named].flatMap((id) => {
    const events = readSessionEvents(deps.sessions(), id)
    const keyed = events.flatMap((event) =>
      event.type === 'turn.start' && named.has(event.options?.key ?? '') ? [event.turnId] : [],
    )
    const turns = new Set([...ids, ...keyed])
    return events.filter(({ turnId }) => turns.has(turnId)).flatMap((event) => formatEventLines(event, events, deps))
  })
}

/** A turn and where it was recorded. */
export interface FoundTurn {
  readonly turnId: string
  readonly sessionId: string
  readonly surface: string
  /** When its first message was recorded, in milliseconds since 1970. */
  readonly at: number
}

/** The turn of this id, the last one of the session of this id, or `last` of all. */
export function findTurn(sessions: Sessions, name: string): FoundTurn | undefined {
  const owner = name === 'last' ? sessions.latest() : (sessions.findTurn(name) ?? findSession(sessions, name))
  if (!owner) return undefined
  const { messages, events } = sessions.export(owner.id)
  const isTurn = events.some(({ turnId }) => turnId === name)
  const turnId = isTurn ? name : events.findLast(({ type }) => type === 'turn.start')?.turnId
  if (turnId === undefined) return undefined
  const first = messages.find((message) => message.turnId === turnId)
  return { turnId, sessionId: owner.id, surface: owner.surface, at: first?.at ?? owner.updatedAt }
}

function findSession(sessions: Sessions, id: string): SessionSummary | undefined {
  try {
    return sessions.summary(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}

/** Most ids are not ids of sessions. */
function readSessionEvents(sessions: Sessions, id: string): readonly TurnEvent[] {
  try {
    return sessions.open(id).events()
  } catch {
    return []
  }
}

function formatEventLines(event: TurnEvent, all: readonly TurnEvent[], { mask }: JournalDeps): JournalLine[] {
  const said = describeEvent(event, all)
  if (said === undefined) return []
  const [text, isTrouble = false] = said
  const isEnd = event.type === 'turn.end'
  return [{ turnId: event.turnId, text: printable(mask(text)), isTrouble, ...(isEnd && { isEnd }) }]
}

type LineContent = readonly [text: string, isTrouble?: boolean]

function describeEvent(event: TurnEvent, all: readonly TurnEvent[]): LineContent | undefined {
  switch (event.type) {
    case 'turn.start':
      return [`begins with ${event.provider}/${event.model}`]
    case 'turn.resume':
      return [`is resumed after a crash, attempt ${event.attempt}`, true]
    case 'tool.start':
      return [`calls ${event.name} ${JSON.stringify(event.input)}`]
    case 'tool.complete':
      return event.ok ? [`${event.name} is done`] : [`${event.name} failed: ${event.text}`, true]
    case 'compressed':
      return ['the conversation was made shorter']
    case 'notice':
      return [`notice: ${event.text}`]
    case 'error':
      return [`${event.message} (${event.code})`, true]
    case 'turn.end':
      return [`ends: ${event.reason}`, event.reason !== 'completed']
    default:
      return describeAsked(event, all)
  }
}

/** Calls of the model that failed, and questions to people. */
function describeAsked(event: TurnEvent, all: readonly TurnEvent[]): LineContent | undefined {
  switch (event.type) {
    case 'model.end':
      return event.failure && [`the model failed: ${event.failure.message}`, true]
    case 'approval.request': {
      const { tool, action, reason, id } = event.request
      const isAnswered = all.some((other) => other.type === 'approval.answer' && other.id === id)
      const open = isAnswered ? '' : '; not answered'
      return [`asks whether ${tool} may run: ${action}. It ${reason}${open}`, !isAnswered]
    }
    case 'approval.answer':
      return [`${event.by} answers: ${event.choice}`, event.choice === 'deny']
    case 'clarify.request':
      return [`asks: ${JSON.stringify(event.question)}`]
    case 'clarify.answer':
      return [`${event.by} answers: ${event.text}`]
    default:
      return undefined
  }
}

/** One line, without characters that steer a terminal. */
export function printable(text: string): string {
  const line = safeLine(text)
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line
}
