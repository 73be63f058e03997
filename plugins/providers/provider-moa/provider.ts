/** The provider `moa`: its models are the presets. Its calls are made around the call, where it is known who pays. */
import { Models, type PluginContext } from 'svc/sdk'
import { createModelFailure, type ModelEvent, type ModelInfo, type ModelProvider } from 'svc/sdk/provider'
import { type Config, NAME, type Preset } from './config.ts'
import { formatModel, listPresets } from './presets.ts'

export function createProvider(ctx: PluginContext<Config>): ModelProvider {
  return {
    name: NAME,
    label: 'Mixture of Agents',
    aliases: ['mixture', 'mixture-of-agents'],
    auth: { type: 'none', page: 'https://arxiv.org/abs/2406.04692' },
    status: async () => {
      const { length } = listPresets(ctx.config)
      const detail = length === 0 ? 'no preset is set: name its models in moa.presets' : `${length} presets`
      return { ready: length > 0, detail }
    },
    models: async () => listPresets(ctx.config).map(([id, preset]) => describe(ctx, id, preset)),
    async *stream(): AsyncGenerator<ModelEvent> {
      const message = 'The mixture of agents was asked past the plugin that makes its calls. See `svc plugins`.'
      yield { type: 'failed', failure: createModelFailure('unknown', message) }
    },
  }
}

/** What the last of its models can do. The calls of its models are paid under their own names. */
function describe(ctx: PluginContext<Config>, id: string, { aggregator, reference_models: models }: Preset): ModelInfo {
  const { label: _, price: __, ...facts } = ctx.use(Models).describe(aggregator)
  return {
    ...facts,
    id,
    label: `${id}: ${models.map(formatModel).join(', ')} for ${formatModel(aggregator)}`,
    price: { input: 0, output: 0, source: 'its models are paid for under their own names' },
  }
}
