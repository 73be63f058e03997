/** Provides `models`: which model answers, and why, and what is known of it. */
import { definePlugin, Models } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { StatusSections } from 'svc/sdk/operations'
import type { ModelInfo } from 'svc/sdk/provider'
import { chooseModel, fallbackModels, findProvider } from './choose-model.ts'
import { type Config, config } from './config.ts'
import { modelCheck } from './health.ts'
import { describeModel } from './model-facts.ts'
import { ModelLists } from './model-lists.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const lists = new ModelLists(ctx)
    const describe = (address: { readonly provider: string; readonly model: string }): ModelInfo =>
      describeModel(address, ctx.config, lists.find(address))
    const list = async (name: string): Promise<readonly ModelInfo[]> => {
      const provider = await findProvider(ctx, name)
      const models = await provider.models()
      await lists.remember(provider.name, models)
      return models.map(({ id }) => describe({ provider: provider.name, model: id }))
    }
    ctx.provide(Models, () => ({
      choose: async (wanted) => {
        const choice = await chooseModel({ ...ctx, list }, wanted ?? {})
        await lists.warm(choice.provider.name)
        return choice
      },
      fallbacks: async () => fallbackModels(ctx),
      list,
      describe,
      similar: async ({ provider, model }) => {
        const [{ mostSimilar }, models] = await Promise.all([import('./similar-model.ts'), list(provider)])
        return mostSimilar(
          model,
          models.map(({ id }) => id),
        )
      },
    }))
    ctx.add(StatusSections, {
      ...{ name: 'model', title: 'Model', order: 20 },
      read: async () => (await import('./status-section.ts')).readModelStatus(ctx.use(Models), ctx.log),
    })
    ctx.add(
      HealthChecks,
      modelCheck(() => ctx.use(Models), list, ctx.log),
    )
  },
})
