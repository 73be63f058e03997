/** Wires what is named with `@`: its completion, and its content behind the message. */
import { BeforeUserMessage, Clock, createTranslator, definePlugin, Secrets, Sessions } from 'svc/sdk'
import { SelectUserImages } from 'svc/sdk/hooks'
import { Plugins } from 'svc/sdk/host'
import { MediaFiles } from 'svc/sdk/media'
import { GuardedFiles } from 'svc/sdk/safety'
import { findEnvironment } from 'svc/sdk/shell'
import { type Completer, Completers } from 'svc/sdk/terminal'
import type { MentionsDeps } from './mention.ts'

export default definePlugin({
  setup(ctx) {
    const host: MentionsDeps = {
      clock: () => ctx.use(Clock),
      files: () => ctx.use(GuardedFiles),
      environment: (session) => findEnvironment(ctx, session),
      sessions: () => ctx.use(Sessions),
      media: () => ctx.use(Plugins).bring(MediaFiles),
      mask: (text) => ctx.use(Secrets).mask(text),
      path: () => ctx.use(Secrets).get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
      home: () => ctx.use(Secrets).get('HOME'),
      t: createTranslator(ctx),
      signal: ctx.signal,
    }
    let complete: Promise<Completer['complete']> | undefined
    ctx.add(Completers, {
      name: 'mentions',
      async complete(text, at) {
        if (at.surface !== 'cli' || !text.includes('@')) return []
        complete ??= import('./completion.ts').then(({ mentionCompleter }) => mentionCompleter(host))
        return (await complete)(text, at)
      },
    })
    ctx.on(SelectUserImages, async (images, { surface, sessionId, text }, call) => {
      if (surface !== 'cli' || !/@.*\.(png|jpe?g|gif|webp)/i.test(text)) return undefined
      const media = await host.media()
      if (!media) return undefined
      const { readNamedPictures } = await import('./pictures.ts')
      const place = { cwd: ctx.use(Sessions).open(sessionId).cwd, sessionId, signal: call.signal }
      return [...images, ...(await readNamedPictures(text, media, place))]
    })
    // Strangers in a chat must not read files of this machine by naming them.
    ctx.on(BeforeUserMessage, async (text, turn, call) => {
      if (turn.surface !== 'cli' || !text.includes('@')) return undefined
      const { addMentioned } = await import('./expand-mentions.ts')
      const { sessionId } = turn
      return addMentioned(text, { sessionId, cwd: ctx.use(Sessions).open(sessionId).cwd }, call.signal, host)
    })
  },
})
