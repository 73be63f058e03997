/** Speaks the language of `display.language`, as soon as it is known and whenever it changes. */
import { type Dispose, definePlugin, errorCode, errorMessage } from 'svc/sdk'
import { PluginsChanged } from 'svc/sdk/hooks'
import { Language, Plugins, TranslationSources } from 'svc/sdk/host'
import { Display } from 'svc/sdk/terminal'
import { LocalTexts } from './texts.ts'

export default definePlugin({
  setup(ctx) {
    const translations = ctx.all(TranslationSources)
    const texts = new LocalTexts({
      translations: () => translations.all(),
      report: (problem) => {
        const [message, code] = [errorMessage(problem), errorCode(problem)]
        ctx.use(Plugins).report({ plugin: ctx.name, stage: 'text', message, code })
      },
    })
    let wanted = ''
    let leave: Dispose = () => {}
    const speak = async () => {
      const name = ctx.find(Display)?.settings().language ?? 'en'
      if (name === wanted) return
      wanted = name
      await texts.speak(name)
    }
    // The display may be switched on and off, or replaced by a new generation of itself.
    const follow = async () => {
      await leave()
      leave = ctx.find(Display)?.onChange(() => void speak()) ?? (() => {})
      await speak()
    }
    ctx.provide(Language, () => texts)
    ctx.onStart(follow)
    ctx.on(PluginsChanged, follow)
    translations.onChange(() => void texts.speak(wanted))
    ctx.defer(() => leave())
  },
})
