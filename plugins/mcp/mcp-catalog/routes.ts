/** The catalogue of MCP servers for the dashboard: what there is, install and remove. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { z } from 'zod'

type Context = PluginContext<undefined>

const text = z.string()
const entrySchema = z.looseObject({
  ...{ name: text, description: text, transport: text, auth_type: text, post_install: text.nullable() },
  state: z.enum(['available', 'enabled', 'disabled', 'other']),
  ...{ needs_install: z.boolean(), installed: z.boolean(), enabled: z.boolean() },
  runs: z.array(text).meta({ description: 'What its installation does and what it runs, for people.' }),
  required_env: z.array(
    z.object({
      ...{ name: text, required: z.boolean(), secret: z.boolean() },
      ...{ prompt: text.nullable(), default: text.nullable() },
    }),
  ),
})

export function catalogRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/mcp/catalog',
      summary: 'MCP servers that can be installed by name, and entries that cannot be used',
      response: z.object({
        entries: z.array(entrySchema),
        diagnostics: z.array(z.looseObject({ name: text, kind: text, message: text })),
      }),
      async handle() {
        const [{ readView }, { toEntry }, { formatCard }] = await Promise.all([
          import('./rows.ts'),
          import('./list.ts'),
          import('./card.ts'),
        ])
        const { rows, diagnostics } = await readView(ctx)
        return {
          entries: rows.map((row) => ({ ...toEntry(row), runs: formatCard(row.manifest, row.dir).slice(1) })),
          diagnostics: diagnostics.map((each) => ({ ...each })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/mcp/catalog/install',
      summary: 'Installs and enables a server; `replace` also where config.yaml has another one of this name',
      body: z.object({
        name: text.min(1).max(200),
        env: z.record(text, text.max(65_536)).default({}),
        replace: z.boolean().default(false),
      }),
      response: z.object({ ok: z.literal(true), name: text, log: text }),
      async handle({ body, signal }) {
        const [{ findRow }, { takeKeys }, { placeServer }] = await Promise.all([
          import('./rows.ts'),
          import('./keys.ts'),
          import('./install.ts'),
        ])
        const row = await findRow(ctx, body.name)
        const { name } = row.manifest
        if (row.state === 'other' && !body.replace)
          throw new SvcError('MCP_CATALOG_TAKEN', `config.yaml has another server ${name}, or an earlier one.`, {
            status: 409,
          })
        const lines: string[] = []
        const io = { signal, err: (line: string) => void lines.push(line) }
        await placeServer(ctx, row, takeKeys(ctx, row.manifest, body.env), io)
        await ctx.use(Plugins).applyConfig()
        return { ok: true as const, name, log: lines.join('') }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/mcp/catalog/:name',
      summary: 'Removes the settings of an MCP server and what its installation cloned; keys stay in .env',
      response: z.object({ ok: z.literal(true) }),
      async handle({ params }) {
        const [{ findRow }, { removeServer }] = await Promise.all([import('./rows.ts'), import('./uninstall.ts')])
        const { manifest, state } = await findRow(ctx, params['name'] ?? '')
        if (state === 'available' || state === 'other')
          throw new SvcError('MCP_CATALOG_UNKNOWN', `${manifest.name} is not installed from the catalogue.`, {
            status: 409,
          })
        await removeServer(ctx, manifest.name)
        await ctx.use(Plugins).applyConfig()
        return { ok: true as const }
      },
    }),
  ]
}
