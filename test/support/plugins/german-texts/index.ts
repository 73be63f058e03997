/** A translation of texts of this plugin. */
import { createTranslator, definePlugin, SlashCommands } from 'svc/sdk'
import { TranslationSources } from 'svc/sdk/host'

export default definePlugin({
  setup(ctx) {
    const t = createTranslator(ctx)
    ctx.add(TranslationSources, {
      name: 'german-texts',
      texts: async (locale) => (locale === 'de' ? { 'Good morning': 'Guten Morgen' } : undefined),
    })
    ctx.add(SlashCommands, {
      name: 'morning',
      description: 'Wish a good morning.',
      run: () => {
        ctx.log.info('works')
        return t('Good morning')
      },
    })
  },
})
