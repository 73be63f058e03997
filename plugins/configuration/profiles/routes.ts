/** Profiles for the dashboard: list, create, describe, rename, choose, delete and restore. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { changeProfiles } from './changes.ts'
import { type Context, findFolder, findOwn, readActive, writeActive } from './profile-folders.ts'
import { soulRoutes } from './soul-routes.ts'

const profileSchema = z.object({
  name: z.string(),
  path: z.string(),
  is_default: z.boolean(),
  is_active: z.boolean(),
  gateway_running: z.boolean(),
  running: z.array(z.object({ pid: z.number(), command: z.string() })),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  has_env: z.boolean(),
  skill_count: z.number(),
  description: z.string(),
  description_auto: z.boolean(),
})
const createSchema = z.object({
  name: z.string().min(1).max(64),
  description: z.string().max(2000).default(''),
  clone_from: z
    .string()
    .optional()
    .meta({ description: 'The profile whose settings, keys, skills and memories are copied.' }),
  clone_all: z.boolean().default(false).meta({ description: 'Also plugins, sign-ins and files of your own.' }),
  no_skills: z.boolean().default(false),
  provider: z.string().max(200).optional(),
  model: z.string().max(200).optional(),
  soul: z.string().max(100_000).optional().meta({ description: 'The text of SOUL.md: who the agent is.' }),
})
const describedSchema = z.object({
  ok: z.boolean(),
  profile: z.string(),
  reason: z.string().nullable(),
  description: z.string(),
  description_auto: z.boolean(),
})
const named = z.object({ ok: z.literal(true), name: z.string(), path: z.string() })

export function profileRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/profiles',
      summary: 'Profiles of this installation, the one that this process serves, and that of commands which name none',
      response: z.object({ profiles: z.array(profileSchema), current: z.string(), active: z.string() }),
      async handle() {
        const { listProfiles } = await import('./roster.ts')
        const profiles = (await listProfiles(ctx)).map((each) => ({ ...each, running: [...each.running] }))
        return { profiles, current: findOwn(ctx).name, active: readActive(ctx) }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/profiles',
      summary: 'Creates a profile, empty or as a copy of another, with a model',
      body: createSchema,
      response: named.extend({ skipped: z.array(z.string()) }),
      async handle({ body }) {
        const { createProfile } = await import('./create.ts')
        const { name, clone_from: from, clone_all, no_skills, description, ...first } = body
        const { dir, skipped, ...made } = await createProfile(ctx, name, {
          description,
          isWithoutSkills: no_skills && from === undefined,
          first,
          ...(from !== undefined && { from, isWhole: clone_all }),
        })
        return { ok: true as const, name: made.name, path: dir, skipped: [...skipped] }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/profiles/active',
      summary: 'The profile of commands which name none, and that of this process',
      response: z.object({ active: z.string(), current: z.string() }),
      handle: () => ({ active: readActive(ctx), current: findOwn(ctx).name }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/profiles/active',
      summary: 'Chooses the profile of commands which name none; what runs stays in its own',
      body: z.object({ name: z.string().min(1) }),
      response: z.object({ ok: z.literal(true), active: z.string() }),
      async handle({ body }) {
        const active = await changeProfiles(ctx, async () => {
          const { name } = findFolder(ctx, body.name)
          await writeActive(ctx, name)
          return name
        })
        return { ok: true as const, active }
      },
    }),
    ...oneRoutes(ctx),
    setupRoute(ctx),
  ]
}

function oneRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'PATCH',
      path: '/api/profiles/:name',
      summary: 'Gives a profile another name',
      body: z.object({ new_name: z.string().min(1).max(64) }),
      response: named,
      async handle({ params, body }) {
        const { renameProfile } = await import('./rename.ts')
        const { name, dir } = await renameProfile(ctx, params['name'] ?? '', body.new_name)
        return { ok: true as const, name, path: dir }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/profiles/:name',
      summary: 'Moves a profile with all it holds to the trash',
      response: z.object({ ok: z.literal(true), name: z.string(), trash: z.string() }),
      async handle({ params }) {
        const { deleteProfile } = await import('./remove.ts')
        const { name, trash } = await deleteProfile(ctx, params['name'] ?? '')
        return { ok: true as const, name, trash }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/profiles/:name/restore',
      summary: 'Brings back the profile of this name that was deleted last',
      response: named,
      async handle({ params }) {
        const { restoreProfile } = await import('./remove.ts')
        const { name, dir } = await restoreProfile(ctx, params['name'] ?? '')
        return { ok: true as const, name, path: dir }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/profiles/:name/description',
      summary: 'Says what a profile is for',
      body: z.object({ description: z.string().max(2000) }),
      response: describedSchema,
      async handle({ params, body }) {
        const { describeByHand } = await import('./describe.ts')
        return { ...(await describeByHand(ctx, params['name'] ?? '', body.description)) }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/profiles/:name/model',
      summary: 'Chooses the model of another profile; that of this one is chosen with `POST /api/model/set`',
      body: z.object({ provider: z.string().min(1).max(200), model: z.string().min(1).max(200) }),
      response: z.object({ ok: z.literal(true), name: z.string(), provider: z.string(), model: z.string() }),
      async handle({ params, body }) {
        const { writeFirstSettings } = await import('./first-settings.ts')
        return changeProfiles(ctx, async () => {
          const { name, dir } = findFolder(ctx, params['name'] ?? '')
          if (dir === findOwn(ctx).dir) {
            // Its own config.yaml is written where its changes are recorded, so that they can be undone.
            const message = `${name} is the profile of this dashboard. Choose its model on the page Models.`
            throw new SvcError('PROFILE_MODEL', message, { status: 409 })
          }
          await writeFirstSettings(ctx, dir, body)
          return { ok: true as const, name, ...body }
        })
      },
    }),
    ...soulRoutes(ctx),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/profiles/:name/describe-auto',
      summary: 'Has a model write what a profile is for; a text of a person stays unless `overwrite` is set',
      body: z.object({ overwrite: z.boolean().default(false) }),
      response: describedSchema,
      async handle({ params, body, signal }) {
        const { describeByModel } = await import('./describe.ts')
        const profile = findFolder(ctx, params['name'] ?? '')
        return { ...(await describeByModel(ctx, profile, body.overwrite, signal)) }
      },
    }),
  ]
}

function setupRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/profiles/:name/setup-command',
    summary: 'What is typed in a terminal of this machine to set a profile up, question by question',
    response: z.object({ name: z.string(), command: z.string() }),
    handle({ params }) {
      const { name } = findFolder(ctx, params['name'] ?? '')
      return { name, command: `svc --profile ${name} setup` }
    },
  })
}
