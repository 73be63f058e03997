/** Skills that a person writes and changes in the dashboard. A change is stored as an edit, as those of the model are. */
import { createHash } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import type { ManageDeps } from './manage.ts'
import type { Change, Writer } from './writer.ts'

export const STATUSES = {
  SKILL_NOT_FOUND: 404,
  SKILL_INVALID: 400,
  SKILL_DUPLICATE: 409,
  SKILL_REFUSED: 409,
  SKILL_CHANGED: 409,
}
const MAX_TEXT = 100_000

const name = z.string().min(1).max(64)
const content = z.string().min(1).max(MAX_TEXT)
const accept = z.boolean().default(false).meta({
  description: 'The person has read what the scan found, and wants the skill all the same.',
})
const writtenSchema = z.object({ success: z.literal(true), message: z.string(), path: z.string() })

export function writeRoutes(open: () => Promise<ManageDeps>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/skills',
      summary: 'Writes a new skill of the person, scanned as an installed one is. One that exists stays as it is: 409',
      body: z.strictObject({
        name: name.optional().meta({ description: 'Used if the front matter has no name.' }),
        ...{ content, category: z.string().max(64).optional(), accept },
      }),
      response: writtenSchema,
      handle: ({ body, signal }) =>
        withStatus(STATUSES, async () => {
          const deps = await open()
          const [{ manageAs, readSource }, { parseSkill, toSlug }] = await Promise.all([
            import('./manage.ts'),
            import('./header.ts'),
          ])
          const { content, category } = body
          const { name } = (await parseSkill(content, toSlug(body.name ?? ''))).header
          const input = {
            ...{ action: 'create' as const, name, reason: REASON, content },
            ...(category === undefined ? {} : { category }),
          }
          const message = await manageAs(deps, input, createPerson(signal, body.accept))
          return { success: true as const, message, path: (await readSource(deps, name)).folder }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills/source',
      summary: 'SKILL.md as it is edited: with the edits, without what is filled in for the model',
      query: z.object({ name }),
      response: z.object({ name: z.string(), content: z.string(), digest: z.string() }),
      handle: ({ query }) =>
        withStatus(STATUSES, async () => {
          const { readSource } = await import('./manage.ts')
          const { text } = await readSource(await open(), query.name)
          return { name: query.name, content: text, digest: getDigest(text) }
        }),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/skills/content',
      summary:
        'Changes SKILL.md by an edit, which `svc skills edits` shows and undoes. Over a change of others it is refused: 409',
      body: z.strictObject({
        name,
        content,
        digest: z.string().meta({ description: 'Of the text that was edited, as /api/skills/source told it.' }),
        accept,
      }),
      response: z.object({ success: z.literal(true), message: z.string(), digest: z.string() }),
      handle: ({ body, signal }) =>
        withStatus(STATUSES, async () => {
          const deps = await open()
          const isSame = (text: string) => getDigest(text) === body.digest
          const { message, text } = await changeAsPerson(deps, body, { isSame, accepts: body.accept, signal })
          return { success: true as const, message, digest: getDigest(text) }
        }),
    }),
  ]
}

const REASON = 'written by the person'

interface PersonalChange {
  /** Whether the text is still the one that the person read. */
  isSame(text: string): boolean
  /** The person has read what the scan found, and wants the skill all the same. */
  readonly accepts: boolean
  readonly signal: AbortSignal
}

/** SKILL.md as a person wants it. Throws as `manageAs` does, and `SKILL_CHANGED`. */
export async function changeAsPerson(
  deps: ManageDeps,
  { name, content }: { readonly name: string; readonly content: string },
  { isSame, accepts, signal }: PersonalChange,
): Promise<{ readonly message: string; readonly text: string }> {
  const { manageAs, readSource } = await import('./manage.ts')
  if (!isSame((await readSource(deps, name)).text))
    throw new SvcError('SKILL_CHANGED', `${name} was changed meanwhile. Read it again; nothing was overwritten.`)
  const input = { action: 'edit' as const, name, reason: REASON, content }
  const message = await manageAs(deps, input, createPerson(signal, accepts))
  return { message, text: (await readSource(deps, name)).text }
}

function createPerson(signal: AbortSignal, accepts: boolean): Writer {
  return {
    ...{ sessionId: '', signal, author: 'person' as const },
    origins: () => [],
    agree({ findings }: Change) {
      if (findings.length === 0 || accepts) return Promise.resolve(undefined)
      const found = findings.slice(0, 10).join(' ')
      return Promise.reject(new SvcError('SKILL_REFUSED', `Not done: the scan found harm. ${found}`))
    },
  }
}

function getDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
