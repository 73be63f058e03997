/** An open session of an editor: its conversation, its prompts, and what the editor knows of it. */
import type { McpServer, SessionConfigOption, SessionModeState, StopReason } from '@agentclientprotocol/sdk'
import {
  type Conversation,
  Conversations,
  logFault,
  type PluginContext,
  type Registration,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { AcpFront, type TurnEnd } from './acp-front.ts'
import type { Editor } from './editor.ts'
import type { FileChanges } from './file-changes.ts'
import { attachServers } from './mcp-servers.ts'
import type { PromptContent } from './prompt-content.ts'
import type { EditorSettings } from './settings.ts'
import { listCommands } from './updates.ts'

export interface SessionDeps {
  readonly ctx: PluginContext<undefined>
  readonly editor: Editor
  readonly changes: FileChanges
  readonly settings: EditorSettings
}

/** What an editor is told of a session that it opens. */
export interface SessionState {
  readonly modes?: SessionModeState
  readonly configOptions: SessionConfigOption[]
}

/** A prompt at work. */
interface Prompt {
  isCancelled: boolean
  cancel: () => void
}

export class EditorSession {
  readonly #deps: SessionDeps
  readonly #front: AcpFront
  readonly #conversation: Conversation
  readonly #prompts = new Set<Prompt>()
  /** What the editor was last told, by its kind. */
  readonly #known = new Map<string, string>()
  #servers: Registration | undefined

  /** Opens a stored session, or a new one in the folder. Throws `SESSION_NOT_FOUND`. */
  constructor(deps: SessionDeps, { cwd, sessionId }: { readonly cwd: string; readonly sessionId?: string }) {
    const { ctx, editor, changes } = deps
    this.#deps = deps
    const place = { cwd, sessionId: sessionId ?? '' }
    const changed = () => void this.#refresh()
    this.#front = new AcpFront({ ctx, editor, changes, place, changed })
    this.#conversation = ctx
      .use(Conversations)
      .start(this.#front, { cwd, ...(sessionId !== undefined && { sessionId }) })
    place.sessionId = this.#conversation.sessionId
    changes.watch(this.id)
  }

  get id(): string {
    return this.#conversation.sessionId
  }

  /** Connects the servers that the editor names now; those that it named before and does not any more are ended. */
  async connect(servers: readonly McpServer[]): Promise<void> {
    const before = this.#servers
    const warn = (text: string) => this.#conversation.say(text, 'warning')
    this.#servers = attachServers(this.#deps.ctx, this.id, servers, warn)
    await before?.()
  }

  async state(): Promise<SessionState> {
    const { settings } = this.#deps
    const modes = settings.modes(this.#conversation)
    const configOptions = await settings.options(this.#conversation)
    this.#known.set('mode', modes?.currentModeId ?? '')
    this.#known.set('options', JSON.stringify(configOptions))
    return { ...(modes && { modes }), configOptions }
  }

  /** Tells of what is stored. Resolves when the editor was told. */
  replay(): Promise<void> {
    this.#front.replay(this.#deps.ctx.use(Sessions).open(this.id).messages())
    return this.#front.settled()
  }

  /** The editor knows the session from now on. */
  opened(): void {
    const { ctx, settings } = this.#deps
    this.tellCommands()
    const listing = settings.list(this.#conversation)
    listing
      .then(() => this.#refresh())
      .catch((error: unknown) => logFault(ctx.log, 'models could not be listed', error))
  }

  tellCommands(): void {
    const availableCommands = listCommands(this.#deps.ctx)
    if (this.#isNew('commands', availableCommands))
      this.#front.tell({ sessionUpdate: 'available_commands_update', availableCommands })
  }

  /**
   * Resolves when all that comes of the message is over: the turn, and those that follow it by themselves. Throws the error
   * of a turn that failed.
   */
  async prompt({ text, images }: PromptContent, signal: AbortSignal): Promise<StopReason> {
    const front = this.#front
    const prompt: Prompt = { isCancelled: false, cancel: () => {} }
    const cancelled = new Promise<void>((resolve) => {
      prompt.cancel = resolve
    })
    this.#prompts.add(prompt)
    const abort = () => this.cancel()
    signal.addEventListener('abort', abort)
    front.end = undefined
    try {
      await Promise.race([this.#take(text, images), cancelled])
      await this.#conversation.idle()
      await front.settled()
      if (prompt.isCancelled) return 'cancelled'
      // Without a turn it was a command, or a message that a plugin answered.
      const end: TurnEnd = front.end ?? { stopReason: 'end_turn' }
      if (end.error) throw new SvcError(end.error.code, end.error.message)
      return end.stopReason
    } finally {
      signal.removeEventListener('abort', abort)
      this.#prompts.delete(prompt)
    }
  }

  /** Stops the turn; what waits behind it is dropped. */
  cancel(): void {
    const conversation = this.#conversation
    for (const prompt of this.#prompts) {
      prompt.isCancelled = true
      prompt.cancel()
    }
    for (const { id } of conversation.queue) conversation.unqueue(id)
    conversation.stop()
  }

  setMode(mode: string): void {
    this.#deps.settings.setMode(this.#conversation, mode)
    this.#known.set('mode', mode)
    void this.#refresh()
  }

  async setOption(id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    await this.#deps.settings.set(this.#conversation, id, value)
    const { configOptions } = await this.state()
    return configOptions
  }

  async close(): Promise<void> {
    this.cancel()
    this.#deps.changes.unwatch(this.id)
    await this.#servers?.()
    await this.#conversation.close()
  }

  /** A command is run; anything else is a message, whatever it begins with. */
  async #take(text: string, images: PromptContent['images']): Promise<void> {
    const conversation = this.#conversation
    const given = { ...(images.length > 0 && { images }), whenBusy: 'queue' as const, source: 'person' as const }
    const command = text.startsWith('/') ? this.#deps.ctx.use(Commands).parse(text, 'cli') : undefined
    if (command && 'command' in command) await conversation.type(text, { ...given, command })
    else conversation.send(text, given)
  }

  /** Tells what is different from what the editor knows. Never rejects. */
  async #refresh(): Promise<void> {
    const { ctx, settings } = this.#deps
    try {
      const configOptions = await settings.options(this.#conversation)
      if (this.#isNew('options', configOptions))
        this.#front.tell({ sessionUpdate: 'config_option_update', configOptions })
      const mode = settings.modes(this.#conversation)?.currentModeId
      if (mode !== undefined && this.#known.get('mode') !== mode)
        this.#front.tell({ sessionUpdate: 'current_mode_update', currentModeId: mode })
      this.#known.set('mode', mode ?? '')
      const { title } = ctx.use(Sessions).summary(this.id)
      if (title !== undefined && this.#isNew('title', title))
        this.#front.tell({ sessionUpdate: 'session_info_update', title })
    } catch (error) {
      logFault(ctx.log, 'the state of a session could not be told', error)
    }
  }

  #isNew(kind: string, value: unknown): boolean {
    const text = JSON.stringify(value)
    if (this.#known.get(kind) === text) return false
    this.#known.set(kind, text)
    return true
  }
}
