/** The chat that asked for a restart or an update, until it was told how that ended. It is stored before the process ends. */
import { Clock, createTranslator, type PluginContext, Random } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { type MessageOrigin, Outbox } from 'svc/sdk/platform'
import { z } from 'zod'

/** A chat is not told of what was asked for longer ago. */
const MAX_AGE_MS = 86_400_000

const waiting = z.object({
  id: z.string(),
  /** `installing`: the new version is not in its place yet. */
  stage: z.enum(['restarting', 'installing', 'updated']),
  platform: z.string(),
  chatId: z.string(),
  threadId: z.string().optional(),
  /** Of svc, when it was asked for. */
  version: z.string(),
  /** The process that was asked. */
  run: z.string(),
  at: z.number(),
})
type Waiting = z.infer<typeof waiting>

export class PendingReturn {
  readonly #ctx: PluginContext<undefined>
  readonly #run: string
  readonly #state

  constructor(ctx: PluginContext<undefined>, run: string) {
    this.#ctx = ctx
    this.#run = run
    this.#state = ctx.state<Waiting | null>('asked-by', { schema: waiting.nullable(), initial: null })
  }

  /** The version of svc: the plugins that come with it have its version. */
  get version(): string {
    return this.#ctx.use(Plugins).info(this.#ctx.name)?.manifest.version ?? ''
  }

  /** On disk when it resolves. */
  async keep({ platform, chatId, threadId }: MessageOrigin, stage: Waiting['stage']): Promise<void> {
    const ctx = this.#ctx
    await this.#state.set({
      ...{ id: ctx.use(Random).hex(8), stage, platform, chatId, version: this.version, run: this.#run },
      ...(threadId !== undefined && { threadId }),
      at: ctx.use(Clock).now(),
    })
  }

  async forget(): Promise<void> {
    await this.#state.set(null)
  }

  /** A platform of this process is connected: its chat is told once, if an earlier process was asked there. */
  async announce(platform: string): Promise<void> {
    const asked = this.#state.get()
    if (asked?.platform !== platform || asked.run === this.#run) return
    const ctx = this.#ctx
    if (ctx.use(Clock).now() - asked.at <= MAX_AGE_MS) {
      const { chatId, threadId, id } = asked
      const place = { platform, chatId, ...(threadId !== undefined && { threadId }) }
      // A crash between the two steps posts it again under its key, which makes one message.
      ctx.find(Outbox)?.post({ ...place, key: `return:${id}`, text: this.#describe(asked) })
    }
    await this.forget()
  }

  #describe({ stage, version: before }: Waiting): string {
    const t = createTranslator(this.#ctx)
    const { version } = this
    if (version !== before) return t('I am back: svc {version}, {before} before.', { version, before })
    if (stage === 'installing')
      return t('svc stopped during the update, so svc {version} is still in use. /update tries again.', { version })
    return t('I am back: svc {version}.', { version })
  }
}
