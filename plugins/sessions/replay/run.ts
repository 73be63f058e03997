/** A recorded turn, cut out of its session. */
import { type Sessions, SvcError, type TurnEvent } from 'svc/sdk'
import type { ToolDefinition } from 'svc/sdk/provider'
import type { SessionArchive } from 'svc/sdk/sessions'

export type StartEvent = Extract<TurnEvent, { type: 'turn.start' }>

/** What is needed to run it again. */
export interface Run {
  readonly turnId: string
  readonly start: StartEvent
  /** In order; deltas may be missing from a turn that another one followed. */
  readonly events: readonly TurnEvent[]
  readonly messages: SessionArchive['messages']
  readonly tools: readonly ToolDefinition[]
  /** The session as it was before. */
  readonly before: SessionArchive
  /** Deltas were dropped, so events do not follow each other without gaps. */
  readonly isTrimmed: boolean
}

/** The turn of this id, the last one of the session of this id, or `last` of all. Throws `REPLAY_RUN_UNKNOWN`. */
export function findRun(sessions: Sessions, name: string): Run {
  if (name === 'last') {
    const latest = sessions.latest()
    if (latest) return pickRun(sessions.export(latest.id))
    throw new SvcError('REPLAY_RUN_UNKNOWN', 'There is no session yet. Ask something first: `svc chat -q "hello"`.')
  }
  if (!name.startsWith('turn_')) return pickRun(sessions.export(name))
  const owner = sessions.findTurn(name)
  if (owner) return pickRun(sessions.export(owner.id), name)
  throw new SvcError('REPLAY_RUN_UNKNOWN', `There is no turn "${name}". \`svc sessions list\` shows the sessions.`)
}

/** Every turn of a session that has its end. */
export function listRuns(sessions: Sessions, sessionId: string): Run[] {
  const archive = sessions.export(sessionId)
  return archive.events.flatMap((event) => (event.type === 'turn.end' ? [pickRun(archive, event.turnId)] : []))
}

function pickRun(archive: SessionArchive, wanted?: string): Run {
  const turnId = wanted ?? archive.events.findLast(({ type }) => type === 'turn.start')?.turnId
  const events = archive.events.filter((event) => event.turnId === turnId)
  const start = events.find((event): event is StartEvent => event.type === 'turn.start')
  if (turnId === undefined || !start)
    throw new SvcError('REPLAY_RUN_UNKNOWN', `Session "${archive.session.id}" has no turn yet.`)
  const definitions = archive.kept?.[start.tools ?? '']
  if (definitions === undefined)
    throw new SvcError('REPLAY_TOOLS_UNKNOWN', `Turn ${turnId} was recorded without its tools and cannot be replayed.`)
  const last = events.at(-1)?.seq ?? 0
  return {
    turnId,
    start,
    events,
    messages: archive.messages.filter((message) => message.turnId === turnId),
    tools: JSON.parse(definitions) as ToolDefinition[],
    before: {
      ...archive,
      events: archive.events.filter(({ seq }) => seq < start.seq),
      edits: (archive.edits ?? []).filter(({ seq }) => seq < start.seq),
      messages: messagesBefore(archive, turnId),
    },
    isTrimmed: last - start.seq + 1 !== events.length,
  }
}

function messagesBefore({ messages }: SessionArchive, turnId: string): SessionArchive['messages'] {
  const first = messages.findIndex((message) => message.turnId === turnId)
  return first < 0 ? messages : messages.slice(0, first)
}
