/** Wires the service that opens composers. */
import { join } from 'node:path'
import { Clock, createTranslator, definePlugin, Home, type PluginContext, Secrets } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { MediaFiles } from 'svc/sdk/media'
import { ReadableFolders } from 'svc/sdk/safety'
import { type ComposerMark, ComposerMarks, Composers, TextLayout } from 'svc/sdk/terminal'
import { isMarks, MAX_MARKS } from './marks.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(ReadableFolders, { name: ctx.name, path: pastesFolder(ctx) })
    // Composers that are open work with what outlives this generation.
    const composers = ctx.keep('composers', createComposers)
    ctx.provide(Composers, () => composers)
  },
})

function createComposers(ctx: PluginContext<undefined>): Composers {
  return {
    async open(host) {
      const { Composer } = await import('./composer.ts')
      return new Composer({
        cwd: host.cwd,
        layout: ctx.use(TextLayout),
        clock: ctx.use(Clock),
        t: createTranslator(ctx),
        historyFile: join(ctx.dataDir, 'history.jsonl'),
        pastesFolder: pastesFolder(ctx),
        signal: ctx.signal,
        complete: (text) => host.complete(text),
        media: () => ctx.use(Plugins).bring(MediaFiles),
        environment: (name) => ctx.use(Secrets).get(name),
        marks: (text) => collectMarks(ctx, text),
        changed: () => host.changed(),
        failed: (error) => host.failed(error),
      })
    },
  }
}

function collectMarks(ctx: PluginContext<undefined>, text: string): readonly ComposerMark[] {
  const all = ctx.all(ComposerMarks)
  return all
    .all()
    .flatMap((marker) => all.attempt(marker, () => marker.marks(text), isMarks)?.slice(0, MAX_MARKS) ?? [])
    .slice(0, MAX_MARKS)
}

function pastesFolder(ctx: PluginContext<undefined>): string {
  return ctx.use(Home).path('pastes')
}
