/** Which model will answer, and how much it reads. */
import { Models, type PluginContext } from 'svc/sdk'

/** A model by its names. */
export interface Named {
  readonly provider: string
  readonly model: string
}

export class Answering {
  readonly #ctx: PluginContext<undefined>
  /** Undefined while it is not known. */
  model: Named | undefined
  /** Only the scripted demo answers. */
  isDemo = false

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  /** Looks again. Throws what `Models.choose` does. */
  async find({ provider, model }: Partial<Named>): Promise<void> {
    try {
      const wanted = { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) }
      const chosen = await this.#ctx.find(Models)?.choose(wanted)
      this.model = chosen && { provider: chosen.provider.name, model: chosen.model }
      this.isDemo = chosen?.source === 'demo'
    } catch (error) {
      this.model = undefined
      throw error
    }
  }

  /** The server may know how much the model reads; asking for its list costs nothing, and is done once. */
  async findWindow(): Promise<void> {
    const models = this.#ctx.find(Models)
    const { model } = this
    if (!models || !model || this.isDemo || models.describe(model).contextWindow !== undefined) return
    try {
      await models.list(model.provider)
    } catch (error) {
      this.#ctx.log.debug('the models of a provider could not be listed', { error })
    }
  }
}
