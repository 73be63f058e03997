/** Which models are called for auxiliary work, in which order, and how failures are handled. */
import {
  type AuxiliaryModels,
  Clock,
  Config as ConfigValues,
  errorMessage,
  logFault,
  Models,
  type PluginContext,
  Random,
  SvcError,
} from 'svc/sdk'
import {
  type AuxiliaryRequest,
  type AuxiliaryResult,
  type AuxiliarySlotInfo,
  type ModelChoice,
  type ModelFailure,
  ModelServers,
  Providers,
  retryDelayMs,
} from 'svc/sdk/provider'
import { SelectModel } from 'svc/sdk/sessions'
import { type Config, getSlot, type Slot, slots } from './config.ts'
import { oneCall } from './one-call.ts'

/** A model by its provider, or by the address of its server. */
interface ModelTarget {
  readonly provider?: string
  readonly model?: string
  readonly server?: { readonly baseUrl: string; readonly keyName: string; readonly setting: string }
}

/** A provider that wants to be paid is not asked again at once. */
const UNPAID_MS = 10 * 60_000

/** Remembers, in this process, who wants to be paid first. */
export class SideWork implements AuxiliaryModels {
  #ctx: PluginContext<Config>
  #unpaid: Map<string, number> = new Map()

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
  }

  slots(): readonly AuxiliarySlotInfo[] {
    const { config } = this.#ctx
    const names = [...Object.keys(slots), ...Object.keys(config)].filter((name) => typeof config[name] !== 'number')
    return [...new Set(names)].map((name) => {
      const { provider, model, base_url, timeout } = getSlot(config, name)
      return { slot: name, provider: base_url.trim() || provider, model, timeoutMs: timeout * 1000 }
    })
  }

  async ask(request: AuxiliaryRequest): Promise<AuxiliaryResult> {
    request.signal?.throwIfAborted()
    const slot = getSlot(this.#ctx.config, request.slot)
    const said: string[] = []
    const seen = new Set<string>()
    let isConnected = false
    for (const wanted of await this.#selected(request, order(request, slot))) {
      const choice = await this.#choose(request.slot, wanted, said)
      if (!choice || choice.source === 'demo') continue
      isConnected = true
      const name = `${choice.model} of ${choice.provider.name}`
      if (seen.has(name)) continue
      seen.add(name)
      const refusal = this.#unfit(choice, request)
      const result = refusal === undefined ? await this.#askOne(choice, request, slot) : refusal
      if (typeof result !== 'string') return result
      said.push(`${name}: ${result}`)
      this.#ctx.log.warn(`${request.slot}: ${name} did not do it`, { why: result })
    }
    throw this.#failed(request.slot, said, isConnected)
  }

  /** What a listener names is asked first, the configured models after it. */
  async #selected(
    { slot, sessionId, turnId }: AuxiliaryRequest,
    configured: readonly ModelTarget[],
  ): Promise<readonly ModelTarget[]> {
    const { provider, model } = configured[0] ?? {}
    const named = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
    const selected = await this.#ctx.call(SelectModel, named, {
      purpose: slot,
      ...(sessionId !== undefined && { sessionId }),
      ...(turnId !== undefined && { turnId }),
    })
    return selected.provider === provider && selected.model === model ? configured : [selected, ...configured]
  }

  async #choose(slot: string, wanted: ModelTarget, said: string[]): Promise<ModelChoice | undefined> {
    try {
      const { server, ...named } = wanted
      return server
        ? await this.#atServer(slot, server, named.model)
        : await this.#ctx.use(Models).choose(this.#withSideModel(named))
    } catch (error) {
      logFault(this.#ctx.log, `no model could be chosen for ${slot}`, error)
      said.push(errorMessage(error))
      return undefined
    }
  }

  /** Of another provider than that of the chat, the cheap model will do. */
  #withSideModel(named: Omit<ModelTarget, 'server'>): Omit<ModelTarget, 'server'> {
    const { provider = '', model } = named
    if (model !== undefined || provider === this.#ctx.use(ConfigValues).get('model.provider')) return named
    const sideModel = this.#ctx.all(Providers).get(provider)?.sideModel
    return sideModel === undefined ? named : { ...named, model: sideModel }
  }

  async #atServer(
    slot: string,
    { baseUrl, keyName, setting }: NonNullable<ModelTarget['server']>,
    model: string | undefined,
  ): Promise<ModelChoice> {
    const provider = this.#ctx.use(ModelServers).at({
      name: `auxiliary:${slot}`,
      label: `The server at ${baseUrl}`,
      baseUrl,
      setting,
      ...(keyName === '' ? {} : { keyName }),
    })
    const id = model ?? (await provider.models())[0]?.id
    if (id !== undefined) return { provider, model: id, source: 'configured', notes: [] }
    const advice = `Name one with \`svc config set auxiliary.${slot}.model <model>\`.`
    throw new SvcError('AUXILIARY_MISSING', `The server at ${baseUrl} does not list its models. ${advice}`)
  }

  /** Why this model need not be asked. */
  #unfit({ provider, model }: ModelChoice, { messages }: AuxiliaryRequest): string | undefined {
    const left = (this.#unpaid.get(provider.name) ?? 0) - this.#ctx.use(Clock).now()
    if (left > 0) return `It wanted to be paid; it is asked again in ${Math.ceil(left / 60_000)} min.`
    const hasImages = messages.some((message) => 'images' in message && (message.images?.length ?? 0) > 0)
    const { images } = this.#ctx.use(Models).describe({ provider: provider.name, model })
    return hasImages && images === false ? 'It does not read pictures.' : undefined
  }

  /** The answer, or what was said last. Throws `BUDGET_EXCEEDED` and the reason of the request's signal. */
  async #askOne(choice: ModelChoice, request: AuxiliaryRequest, slot: Slot): Promise<AuxiliaryResult | string> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await oneCall(this.#ctx, choice, request, slot)
      request.signal?.throwIfAborted()
      if ('text' in outcome) return outcome
      const { failure } = outcome
      if (failure.kind === 'billing') this.#unpaid.set(choice.provider.name, this.#ctx.use(Clock).now() + UNPAID_MS)
      const waitMs = retryDelayMs(failure, attempt, this.#ctx.use(Random).next())
      if (!this.#isWorthWaiting(failure, { attempt, waitMs, slot })) return failure.message
      await this.#ctx
        .use(Clock)
        .sleep(waitMs, AbortSignal.any([this.#ctx.signal, ...(request.signal ? [request.signal] : [])]))
    }
  }

  /** Side work has no time for a wait that is longer than the work itself may take. */
  #isWorthWaiting(
    failure: ModelFailure,
    { attempt, waitMs, slot }: { readonly attempt: number; readonly waitMs: number; readonly slot: Slot },
  ): boolean {
    return failure.retryable && attempt < this.#ctx.config.transient_retries && waitMs <= slot.timeout * 1000
  }

  #failed(slot: string, said: readonly string[], isConnected: boolean): SvcError {
    if (!isConnected && said.length === 0)
      return new SvcError(
        'AUXILIARY_MISSING',
        `no auxiliary client configured: ${slot} needs a model, and no model is connected. Choose one with \`svc model set <provider> <model>\`, or for this slot alone with \`svc model aux set ${slot} <provider> <model>\`.`,
      )
    return new SvcError('AUXILIARY_FAILED', `No model did the work of ${slot}. ${said.join(' ')}`, { status: 502 })
  }
}

/** The slot's own model, its chain, and the model of the chat. */
function order({ slot: name, prefer }: AuxiliaryRequest, slot: Slot): readonly ModelTarget[] {
  const chain = slot.fallback_chain.map((each, place) =>
    createTarget(each, `auxiliary.${name}.fallback_chain.${place}`),
  )
  return [...(prefer ? [prefer] : []), createTarget(slot, `auxiliary.${name}`), ...chain, {}]
}

function createTarget(
  { provider, model, base_url, key_env }: Slot['fallback_chain'][number],
  path: string,
): ModelTarget {
  const baseUrl = base_url.trim()
  const named = model === '' ? {} : { model }
  if (baseUrl !== '') return { ...named, server: { baseUrl, keyName: key_env.trim(), setting: `${path}.base_url` } }
  return { ...named, ...(provider === 'auto' ? {} : { provider }) }
}
