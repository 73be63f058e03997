/** Sessions of all profiles. Each profile has a store of its own, which a process of that profile reads. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, Home, type PluginContext, SvcError, tryParseJson } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { profileName } from './action-routes.ts'
import { findProfile, readOwnCommand } from './own-command.ts'

type Context = PluginContext<undefined>

/** The words of a command that a manifest names; a test compares them. */
export const LIST = 'sessions list'
/** Processes at the same time. */
const MAX_AT_ONCE = 3
/** Of one profile. */
const MAX_SESSIONS = 1000
const MAX_BYTES = 4 * 2 ** 20

const listedSchema = z.array(
  z.object({
    ...{ id: z.string(), surface: z.string(), cwd: z.string(), title: z.string().nullish() },
    ...{ createdAt: z.number(), updatedAt: z.number(), messageCount: z.number() },
  }),
)
const sessionSchema = z.object({
  ...{ profile: z.string(), id: z.string(), title: z.string().nullable(), source: z.string(), cwd: z.string() },
  ...{ started_at: z.number(), last_active: z.number(), message_count: z.number() },
})
type Session = z.infer<typeof sessionSchema>

export function profileSessionRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/profiles/sessions',
      summary: 'Sessions of all profiles or of one, the one used last first; a profile that cannot be read is named',
      query: z.object({
        profile: z.union([z.literal('all'), profileName]).default('all'),
        limit: z.coerce.number().int().min(1).max(500).default(20),
        offset: z.coerce.number().int().min(0).max(10_000).default(0),
        source: z.string().min(1).max(100).optional(),
      }),
      response: z.object({
        sessions: z.array(sessionSchema),
        ...{ total: z.number(), limit: z.number(), offset: z.number() },
        profile_totals: z.record(z.string(), z.number()).meta({ description: `At most ${MAX_SESSIONS} each.` }),
        errors: z.array(z.object({ profile: z.string(), error: z.string() })),
      }),
      async handle({ query: { profile, limit, offset, source }, signal }) {
        const profiles = profile === 'all' ? listProfiles(ctx) : [findProfile(ctx, profile)]
        const read = await readAll(profiles, (name) => readSessions(ctx, { name, source, signal }))
        const sessions = read.flatMap(({ found }) => found).sort((one, two) => two.last_active - one.last_active)
        return {
          ...{ sessions: sessions.slice(offset, offset + limit), total: sessions.length, limit, offset },
          profile_totals: Object.fromEntries(read.map(({ name, found }) => [name, found.length])),
          errors: read.flatMap(({ name, error }) => (error === undefined ? [] : [{ profile: name, error }])),
        }
      },
    }),
  ]
}

function listProfiles(ctx: Context): readonly string[] {
  const folder = join(ctx.use(Home).root, 'profiles')
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const named = entries.filter((each) => each.isDirectory() && profileName.safeParse(each.name).success)
  return ['default', ...named.map(({ name }) => name).sort()]
}

interface Read {
  readonly name: string
  readonly found: readonly Session[]
  readonly error?: string
}

async function readAll(names: readonly string[], read: (name: string) => Promise<readonly Session[]>): Promise<Read[]> {
  const waiting = [...names]
  const done: Read[] = []
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const of = name
      done.push(
        await read(of).then(
          (found) => ({ name: of, found }),
          (error: unknown) => ({ name: of, found: [], error: errorMessage(error) }),
        ),
      )
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
  return done.sort((one, two) => names.indexOf(one.name) - names.indexOf(two.name))
}

interface Asked {
  readonly name: string
  readonly source: string | undefined
  readonly signal: AbortSignal
}

async function readSessions(ctx: Context, { name, source, signal }: Asked): Promise<readonly Session[]> {
  const surface = source === undefined ? [] : [`--surface=${source}`]
  const words = [...LIST.split(' '), '--json', `--limit=${MAX_SESSIONS}`, ...surface]
  const output = await readOwnCommand(ctx, { words, profile: name }, { signal, maxBytes: MAX_BYTES })
  const listed = listedSchema.safeParse(tryParseJson(output)?.value)
  if (!listed.success) throw new SvcError('DASHBOARD_COMMAND', `svc ${LIST} of ${name} answered with something else.`)
  return listed.data.map((each) => ({
    ...{ profile: name, id: each.id, title: each.title ?? null, source: each.surface, cwd: each.cwd },
    ...{ started_at: each.createdAt, last_active: each.updatedAt, message_count: each.messageCount },
  }))
}
