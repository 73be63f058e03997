/** The calls of tools of a conversation, as the editor is told of them. */
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { TurnEvent } from 'svc/sdk'
import { changeCall, foundCall, startCall, type TrackedCall } from 'svc/sdk/kit/views'
import type { FileChanges } from './file-changes.ts'
import { type CallSubject, type ToolCallFormat, toLocation } from './tool-calls.ts'

type Event<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** A call that was begun. */
export type StartedCall = Pick<Event<'tool.start'>, 'turnId' | 'callId' | 'name' | 'input'>
/** A call that came further. */
export type ChangedCall = Event<'tool.running'> | Event<'tool.progress'> | Event<'tool.complete'>

export interface CallsDeps {
  readonly format: ToolCallFormat
  readonly place: { readonly cwd: string; readonly sessionId: string }
  readonly changes: FileChanges
  /** In the order in which it is called. */
  tell(make: () => Promise<SessionUpdate>): void
}

export class EditorCalls {
  readonly #deps: CallsDeps
  readonly #calls = new Map<string, TrackedCall>()
  readonly #subjects = new Map<string, CallSubject>()

  constructor(deps: CallsDeps) {
    this.#deps = deps
  }

  start({ turnId, callId, name, input }: StartedCall): void {
    const { format, place, tell } = this.#deps
    const toolCallId = getId(turnId, callId)
    const start = { type: 'tool.start', turnId, callId, name, input, sessionId: place.sessionId, seq: 0 } as const
    const tracked = startCall(start, { before: undefined, parent: undefined })
    this.#calls.set(toolCallId, tracked)
    tell(async () => {
      const subject = await format.subject(tracked.call, place)
      this.#subjects.set(toolCallId, subject)
      return {
        sessionUpdate: 'tool_call',
        toolCallId,
        title: format.title(tracked),
        name,
        status: 'pending',
        rawInput: format.input(input),
        ...subject,
      }
    })
  }

  change(event: ChangedCall): void {
    const { format, changes, tell } = this.#deps
    const { turnId, callId } = event
    const toolCallId = getId(turnId, callId)
    const known = this.#calls.get(toolCallId)
    // A turn that was resumed completes calls that it does not begin.
    if (!known && event.type !== 'tool.complete') return
    if (!known) this.start({ turnId, callId, name: (event as Event<'tool.complete'>).name, input: {} })
    const tracked = changeCall(known ?? foundCall(event as Event<'tool.complete'>), event, undefined)
    this.#calls.set(toolCallId, tracked)
    const made = event.type === 'tool.complete' ? changes.take(turnId, callId) : []
    tell(async () => {
      const update = { sessionUpdate: 'tool_call_update' as const, toolCallId }
      if (event.type === 'tool.running') return { ...update, status: 'in_progress' }
      const content = format.content(tracked.call, made)
      if (event.type === 'tool.progress') return { ...update, status: 'in_progress', content }
      return {
        ...update,
        status: event.ok ? 'completed' : 'failed',
        title: format.title(tracked),
        content,
        ...(made.length > 0 && { locations: made.map(toLocation) }),
      }
    })
  }

  /** What a request for permission says of a call; undefined for one that is not known. */
  describe(turnId: string, callId: string): ToolCallUpdate | undefined {
    const { format } = this.#deps
    const toolCallId = getId(turnId, callId)
    const tracked = this.#calls.get(toolCallId)
    if (!tracked) return undefined
    return {
      toolCallId,
      title: format.title(tracked),
      rawInput: format.input(tracked.call.input),
      content: format.content(tracked.call),
      ...this.#subjects.get(toolCallId),
    }
  }

  /** No more events of the calls so far will come. */
  clear(): void {
    this.#calls.clear()
    this.#subjects.clear()
  }
}

/** Ids of calls are unique within a turn, those of the protocol within a session. */
function getId(turnId: string, callId: string): string {
  return `${turnId}/${callId}`
}
