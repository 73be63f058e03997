/** The documentation for the web UI. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'

const entry = z.object({ name: z.string(), description: z.string(), kind: z.string() })

export function docsRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/docs',
      summary: 'The guides of svc, and the plugins that have documentation',
      response: z.object({ documents: z.array(entry) }),
      handle: async () => ({ documents: [...(await import('./documents.ts')).listDocuments(ctx)] }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/docs/:name',
      summary: 'One of them, as Markdown',
      response: entry.extend({ text: z.string() }),
      handle: async ({ params }) => (await import('./documents.ts')).readDocument(ctx, params['name'] ?? ''),
    }),
  ]
}
