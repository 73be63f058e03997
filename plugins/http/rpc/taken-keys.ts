/**
 * What was taken of the messages and commands of one session, by the keys that clients name them with: each is done once, however
 * often it is sent. Messages are in the journal with their keys, commands in the state of the session.
 */
import { type Conversation, defineSessionState, type PluginContext, type SessionState, Sessions } from 'svc/sdk'

/** `recorded`: it is in the journal. `waiting`: it will be. `dropped`: it was taken, and removed before its turn began. */
export type TakenMessage = 'recorded' | 'waiting' | 'dropped'

const MAX_KEYS = 500
const MAX_COMMANDS = 100

/** Keys of commands that were begun, the newest last. */
const Commands: SessionState<readonly string[]> = defineSessionState('rpc:commands', {
  undo: 'keeps',
  parse: (value) => (Array.isArray(value) && value.every((key) => typeof key === 'string') ? value : undefined),
})

interface KeyDeps {
  readonly ctx: PluginContext<undefined>
  readonly conversation: () => Conversation
}

export class TakenKeys {
  readonly #deps: KeyDeps
  /** Of this process, the newest last. */
  readonly #messages = new Set<string>()
  /** Those that were added to the turn at work and are not recorded yet. */
  readonly #steered = new Set<string>()
  readonly #commands = new Map<string, Promise<object>>()

  constructor(deps: KeyDeps) {
    this.#deps = deps
  }

  /** What became of a message; undefined for one that was not taken. */
  find(key: string): TakenMessage | undefined {
    const conversation = this.#deps.conversation()
    if (this.#isRecorded(key)) return 'recorded'
    if (conversation.queue.some((message) => message.key === key)) return 'waiting'
    if (!this.#messages.has(key)) return undefined
    return conversation.busy ? 'waiting' : 'dropped'
  }

  take(key: string): void {
    keep(this.#messages, key)
  }

  /** It was added to the turn at work. */
  steer(key: string): void {
    this.#steered.add(key)
  }

  /** A turn has ended: what was added to it is recorded, or is taken again when it is sent again. */
  endTurn(): void {
    for (const key of this.#steered) this.#messages.delete(key)
    this.#steered.clear()
  }

  /**
   * Runs a command once. Where it runs or has run in this process the result is the same; after a restart it is `known`, since
   * what it said is not stored.
   */
  run(key: string, command: () => Promise<object>): Promise<object> {
    const running = this.#commands.get(key)
    if (running) return running
    const session = this.#deps.ctx.use(Sessions).open(this.#deps.conversation().sessionId)
    const begun = session.state(Commands) ?? []
    if (begun.includes(key)) return Promise.resolve({ output: '', status: 'known' })
    session.setState(Commands, [...begun.slice(1 - MAX_COMMANDS), key])
    const result = command()
    this.#commands.set(key, result)
    const [oldest] = this.#commands.size > MAX_COMMANDS ? this.#commands.keys() : []
    if (oldest !== undefined) this.#commands.delete(oldest)
    return result
  }

  #isRecorded(key: string): boolean {
    const events = this.#deps.ctx.use(Sessions).open(this.#deps.conversation().sessionId).events()
    return events.some((event) =>
      event.type === 'turn.start'
        ? event.options?.key === key
        : event.type === 'steer' && event.keys?.includes(key) === true,
    )
  }
}

function keep(keys: Set<string>, key: string): void {
  keys.add(key)
  const [oldest] = keys.size > MAX_KEYS ? keys : []
  if (oldest !== undefined) keys.delete(oldest)
}
