/** Cups of coffee: a view that both interfaces show, and a page of the web UI. */
import { join } from 'node:path'
import { definePlugin, SlashCommands } from 'svc/sdk'
import { DashboardPages, DashboardRoutes, defineDashboardRoute, SharedViews } from 'svc/sdk/dashboard'
import { z } from 'zod'

const path = '/api/plugins/page-plugin/cups'
const response = z.object({ cups: z.number() })

export default definePlugin({
  setup(ctx) {
    let cups = 0
    const listeners = new Set<() => void>()
    const drink = () => {
      cups++
      for (const changed of listeners) changed()
      return { cups }
    }
    const read = { method: 'GET', path, summary: 'Cups of today', response, handle: () => ({ cups }) } as const
    const add = { method: 'POST', path, summary: 'One more cup', response, handle: drink } as const
    for (const route of [read, add]) ctx.add(DashboardRoutes, defineDashboardRoute(route))

    const run = async () => `Cup ${drink().cups}.`
    ctx.add(SlashCommands, { name: 'coffee', description: 'Note a cup of coffee', category: 'Info', run })
    ctx.add(SharedViews, {
      name: 'coffee',
      title: 'Coffee',
      place: 'composer',
      blocks: () => [
        { type: 'progress', label: `${cups} of 4 cups`, value: cups / 4 },
        { type: 'commands', items: [{ label: 'Another cup', command: '/coffee' }] },
      ],
      onChange(changed) {
        listeners.add(changed)
        return () => void listeners.delete(changed)
      },
    })
    const folder = join(import.meta.dirname, 'page')
    ctx.add(DashboardPages, { name: 'cups', title: 'Cups', group: 'work', folder, entry: 'page.js', style: 'page.css' })
  },
})
