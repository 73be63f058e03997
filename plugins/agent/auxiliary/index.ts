/** Provides `auxiliary-models`: side work for models. Nothing here calls a model unless asked to. */
import { AuxiliaryModels, definePlugin } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { SideWork } from './side-work.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    ctx.provide(AuxiliaryModels, () => new SideWork(ctx))
  },
})
