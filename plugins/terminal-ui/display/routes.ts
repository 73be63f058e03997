/** Skins for the dashboard: those that there are, and the one of the settings, which front ends begin with. */
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import type { ShownDisplay } from './display.ts'

const themesSchema = z.object({
  themes: z.array(
    z.object({
      ...{ name: z.string(), label: z.string(), description: z.string() },
      is_own: z.boolean().meta({ description: 'Whether it is a file of the home.' }),
    }),
  ),
  active: z.string(),
})

export function themeRoutes(display: ShownDisplay): readonly DashboardRoute[] {
  const describe = async () => {
    await display.readSkins()
    const themes = display
      .skins()
      .map(({ name, description, own }) => ({ name, label: name, description, is_own: own }))
    return { themes, active: display.skin().name }
  }
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/dashboard/themes',
      summary: 'Skins: those of svc, of plugins and of the home, and the one that is in force',
      response: themesSchema,
      handle: describe,
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/dashboard/theme',
      summary:
        'Chooses the skin, in config.yaml and for this process; a browser may have chosen another one for itself',
      body: z.strictObject({ name: z.string().min(1).max(100) }),
      response: themesSchema,
      async handle({ body: { name } }) {
        await display.set('skin', name, 'saved')
        return describe()
      },
    }),
  ]
}
