/** What uses the service: a tool, a route of the API server, a shell command and a job. */
import { CliCommands, Clock, createTranslator, defineTool, type PluginContext, Tools } from 'svc/sdk'
import { ApiRoutes, defineApiRoute, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { Bookmarks } from './bookmarks.ts'

const DAY_MS = 86_400_000
const input = z.object({ url: z.url(), title: z.string().min(1) })

export function addConsumers(ctx: PluginContext<{ readonly keep_days: number }>): void {
  const t = createTranslator(ctx)
  const add = ({ url, title }: z.infer<typeof input>) => {
    ctx.use(Bookmarks).add(url, title)
    return t('Added: {title}', { title })
  }
  ctx.add(
    Tools,
    defineTool({
      name: 'add_bookmark',
      description: 'Adds a bookmark for the user.',
      input,
      effect: 'idempotent',
      reach: 'nothing',
      run: add,
    }),
  )
  ctx.add(
    ApiRoutes,
    defineApiRoute({
      method: 'GET',
      path: '/v1/bookmarks',
      summary: 'List the bookmarks',
      handle: async () => jsonResponse({ data: ctx.use(Bookmarks).list() }),
    }),
  )
  ctx.add(CliCommands, {
    name: 'bookmarks',
    description: 'List bookmarks, or add one.',
    arguments: '[url] [title]',
    run: ({ args: [url, title = url] }) => {
      if (url) return add(input.parse({ url, title }))
      const lines = ctx
        .use(Bookmarks)
        .list()
        .map(({ url, title }) => `${title}  ${url}`)
      return lines.length > 0 ? lines.join('\n') : t('There are no bookmarks.')
    },
  })
  // One process of the home removes old bookmarks, however many are open.
  const sweep = () => {
    const removed = ctx.use(Bookmarks).removeBefore(ctx.use(Clock).now() - ctx.config.keep_days * DAY_MS)
    if (removed > 0) ctx.log.info('old bookmarks were removed', { removed })
  }
  ctx.every(DAY_MS / 24, sweep, { one: 'home', name: 'remove-old-bookmarks' })
}
