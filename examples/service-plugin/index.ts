/** Bookmarks: provides the service and adds what uses it. */
import { join } from 'node:path'
import { Clock, definePlugin } from 'svc/sdk'
import { TranslationSources } from 'svc/sdk/host'
import { Storage } from 'svc/sdk/storage'
import { z } from 'zod'
import { Bookmarks, StoredBookmarks } from './bookmarks.ts'
import { addConsumers } from './consumers.ts'

const config = z.object({
  keep_days: z.number().int().positive().default(365).meta({ description: 'Days after which a bookmark is removed.' }),
})

const GERMAN = {
  'Added: {title}': 'Hinzugefügt: {title}',
  'There are no bookmarks.': 'Es gibt keine Lesezeichen.',
}

export default definePlugin({
  config,
  setup(ctx) {
    ctx.provide(Bookmarks, () => {
      const file = join(ctx.dataDir, 'bookmarks.db')
      const stored = new StoredBookmarks(
        () => ctx.use(Storage),
        file,
        () => ctx.use(Clock).now(),
      )
      ctx.defer(() => stored.close())
      return stored
    })
    ctx.add(TranslationSources, {
      name: 'service-plugin',
      texts: async (locale) => (locale === 'de' ? GERMAN : undefined),
    })
    addConsumers(ctx)
  },
})
