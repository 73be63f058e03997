/** The profiles to which tasks can be given, and what each is for. */
import { Plugins } from 'svc/sdk/host'
import { WorkerProfiles } from 'svc/sdk/kanban'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { type Context, defineRoute, requireService } from './route.ts'

const described = z.object({
  ok: z.boolean(),
  profile: z.string(),
  reason: z.string().nullable().optional(),
  description: z.string(),
})

export function profileRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/profiles',
      summary: 'Profiles with their descriptions',
      async handle() {
        const all = await requireService(await ctx.use(Plugins).bring(WorkerProfiles)).list()
        const profiles = all.map(({ name, isDefault, model, provider, description, isAutomatic, skillCount }) => ({
          ...{ name, is_default: isDefault, model: model ?? null, provider: provider ?? null },
          ...{ description, description_auto: isAutomatic, skill_count: skillCount },
        }))
        return { profiles }
      },
    }),
    defineRoute(ctx, {
      method: 'PATCH',
      path: '/profiles/:name',
      summary: 'Sets the description that a person wrote',
      body: z.looseObject({ description: z.string().max(4000) }),
      response: described,
      async handle(_boards, request) {
        const { description } = request.body
        const written = await requireService(await ctx.use(Plugins).bring(WorkerProfiles)).describe(
          getName(request),
          description,
        )
        return { ok: written.ok, profile: written.profile, description: written.description }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/profiles/:name/describe-auto',
      summary: 'Has a model write the description; that of a person only with overwrite',
      body: z.looseObject({ overwrite: z.boolean().nullish() }),
      response: described,
      async handle(_boards, request) {
        const options = { isOverwriting: request.body.overwrite === true, signal: request.signal }
        const { ok, profile, reason, description } = await requireService(
          await ctx.use(Plugins).bring(WorkerProfiles),
        ).describeByModel(getName(request), options)
        return { ok, profile, reason, description }
      },
    }),
  ]
}

function getName({ http }: Pick<ApiRequest, 'http'>): string {
  return http.params['name'] ?? ''
}
