/** What the user of an editor can choose for a session: whether it asks, the model, how long the model thinks. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import {
  Approvals,
  Clock,
  type Conversation,
  type ConversationSettings,
  logFault,
  Models,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { checkModelChange } from 'svc/sdk/sessions'

type Context = PluginContext<undefined>

const ASKS = 'ask'
const ASKS_NOTHING = 'unasked'
/** Stands for the value of the configuration. */
const CONFIGURED = 'configured'
const LEVELS = ['none', 'low', 'medium', 'high', 'xhigh'] as const
const MAX_LISTING_MS = 5_000

const MODES = [
  { id: ASKS, name: 'Ask', description: 'Dangerous actions wait for your approval' },
  { id: ASKS_NOTHING, name: 'Do not ask', description: 'Dangerous actions run without approval in this session' },
]

/** Models by provider, as it listed them to this process. */
type Listed = Map<string, readonly { readonly value: string; readonly name: string }[]>

export class EditorSettings {
  readonly #ctx: Context
  readonly #listed: Listed = new Map()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  modes({ sessionId }: Conversation): SessionModeState | undefined {
    const approvals = this.#ctx.find(Approvals)
    if (!approvals) return undefined
    return { currentModeId: approvals.asksNothing(sessionId) ? ASKS_NOTHING : ASKS, availableModes: MODES }
  }

  /** Throws `ACP_SETTING`. */
  setMode(conversation: Conversation, mode: string): void {
    const { sessionId } = conversation
    const approvals = this.#ctx.find(Approvals)
    if (!approvals || !MODES.some(({ id }) => id === mode)) throw invalid('mode')
    if (mode === ASKS) approvals.askAgain(sessionId)
    else if (!approvals.asksNothing(sessionId)) approvals.askNothing(sessionId)
  }

  /** Calls no provider: models that were not listed yet are left out. */
  async options(conversation: Conversation): Promise<SessionConfigOption[]> {
    const modes = this.modes(conversation)
    const mode: SessionConfigOption[] = modes
      ? [
          {
            type: 'select',
            id: 'mode',
            name: 'Approvals',
            category: 'mode',
            currentValue: modes.currentModeId,
            options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
          },
        ]
      : []
    const reasoning: SessionConfigOption = {
      type: 'select',
      id: 'reasoning',
      name: 'Reasoning',
      category: 'thought_level',
      currentValue: conversation.settings.reasoning ?? CONFIGURED,
      options: [{ value: CONFIGURED, name: 'As configured' }, ...LEVELS.map((value) => ({ value, name: value }))],
    }
    const chosen = await this.#chosen(conversation.settings)
    if (!chosen) return [...mode, reasoning]
    const { provider, model } = chosen
    const listed = this.#listed.get(provider) ?? []
    const isListed = listed.some(({ value }) => value === model)
    const options = isListed ? [...listed] : [{ value: model, name: model }, ...listed]
    return [
      ...mode,
      { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: model, options },
      reasoning,
    ]
  }

  /** Asks the provider of a conversation for its models, once; whether the options are different now. Never rejects. */
  async list({ settings }: Conversation): Promise<boolean> {
    const chosen = await this.#chosen(settings)
    if (!chosen || this.#listed.has(chosen.provider)) return false
    this.#listed.set(chosen.provider, [])
    try {
      const asked = this.#ctx.use(Models).list(chosen.provider)
      const models = await waitAtMost(this.#ctx.use(Clock), MAX_LISTING_MS, asked, { background: true })
      if (!models?.length) return false
      const options = models.map(({ id, label }) => ({ value: id, name: label ?? id }))
      this.#listed.set(chosen.provider, options)
      return true
    } catch (error) {
      this.#ctx.log.warn('the models of a provider could not be listed', { provider: chosen.provider, error })
      return false
    }
  }

  /** Throws `ACP_SETTING`, and `MODEL_CHANGE_DENIED` when a plugin objects. */
  async set(conversation: Conversation, id: string, value: string | boolean): Promise<void> {
    if (id === 'mode' && typeof value === 'string') return this.setMode(conversation, value)
    if (id === 'reasoning') {
      const level = LEVELS.find((each) => each === value)
      if (level === undefined && value !== CONFIGURED) throw invalid(id)
      return conversation.change({ reasoning: level })
    }
    const chosen = await this.#chosen(conversation.settings)
    if (id !== 'model' || typeof value !== 'string' || value === '' || !chosen) throw invalid(id)
    const { provider, model } = chosen
    const isKnown = value === model || this.#listed.get(provider)?.some((each) => each.value === value)
    if (!isKnown) throw invalid(id)
    const [from, to] = [chosen, { provider, model: value }]
    await checkModelChange(this.#ctx, { sessionId: conversation.sessionId, from, to, reason: 'chosen' })
    conversation.change(to)
  }

  async #chosen({ provider, model }: ConversationSettings): Promise<{ provider: string; model: string } | undefined> {
    try {
      const wanted = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
      const found = await this.#ctx.find(Models)?.choose(wanted)
      return found && { provider: found.provider.name, model: found.model }
    } catch (error) {
      logFault(this.#ctx.log, 'no model can answer', error)
      return undefined
    }
  }
}

function invalid(id: string): SvcError {
  return new SvcError('ACP_SETTING', `The session has no setting "${id.slice(0, 100)}", or not with this value.`, {
    status: 400,
    param: id.slice(0, 100),
  })
}
