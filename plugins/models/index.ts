/** Provides `models`: which model answers, and why. */
import { definePlugin, Models } from 'svc/sdk'
import { chooseModel, fallbackModels } from './choose.ts'
import { type Config, config } from './config.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    ctx.provide(Models, () => ({
      choose: (wanted) => chooseModel(ctx, wanted ?? {}),
      fallbacks: async () => fallbackModels(ctx),
      describe: ({ model }) => ({ id: model }),
    }))
  },
})
