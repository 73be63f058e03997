/** SOUL.md of a profile, who the agent is there: read and replaced. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { changeProfiles } from './changes.ts'
import { type Context, findFolder } from './profile-folders.ts'

const MAX_TEXT = 100_000

export function soulRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/profiles/:name/soul',
      summary: 'Who the agent is in a profile: the text of its SOUL.md, empty without one',
      response: z.object({ name: z.string(), content: z.string() }),
      handle({ params }) {
        const { name, dir } = findFolder(ctx, params['name'] ?? '')
        return { name, content: readSoul(dir) }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/profiles/:name/soul',
      summary: 'Replaces SOUL.md of a profile; 409 when it was changed since `base` was read',
      body: z.object({
        content: z.string().max(MAX_TEXT),
        base: z.string().meta({ description: 'The text that the edit began with.' }),
      }),
      response: z.object({ ok: z.literal(true), name: z.string() }),
      handle: ({ params, body: { content, base } }) =>
        changeProfiles(ctx, async () => {
          const { name, dir } = findFolder(ctx, params['name'] ?? '')
          if (readSoul(dir) !== base) {
            const message = `SOUL.md of ${name} was changed since it was read. Read it again; nothing was overwritten.`
            throw new SvcError('PROFILE_SOUL', message, { status: 409 })
          }
          await writeAtomically(join(dir, 'SOUL.md'), content)
          return { ok: true as const, name }
        }),
    }),
  ]
}

/** Throws `PROFILE_SOUL` for what is not a text file of a sensible size. */
function readSoul(dir: string): string {
  const file = join(dir, 'SOUL.md')
  if (!existsSync(file)) return ''
  const facts = lstatSync(file)
  if (facts.isFile() && facts.size <= MAX_TEXT * 4) return readFileSync(file, 'utf8')
  throw new SvcError('PROFILE_SOUL', `${file} is not an ordinary text file of this size. Edit it by hand.`, {
    status: 409,
  })
}
