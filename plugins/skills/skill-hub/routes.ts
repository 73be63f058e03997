/** Skills of others for the dashboard: search, a look at one with its scan, install, remove, restore. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import type { Candidate, SkillHub } from './hub.ts'

const text = z.string()
const identifier = text.min(1).max(1000)
const listingSchema = z.object({
  ...{ identifier: text, name: text, description: text, source: text, trust_level: text },
  installed: z.boolean(),
})
const findingSchema = z.object({
  ...{ rule: text, severity: text, file: text, message: text },
  line: z.number().nullable(),
})
const previewSchema = z.object({
  ...{ name: text, description: text, identifier: text, source: text, trust_level: text, content: text },
  verdict: z.enum(['safe', 'caution', 'dangerous']),
  policy: z.enum(['allow', 'forced', 'block']).meta({ description: 'forced: only with `force`; block: never.' }),
  digest: text.meta({ description: 'Of its files: what is installed is what was shown.' }),
  files: z.array(z.object({ path: text, bytes: z.number() })),
  findings: z.array(findingSchema),
})
const done = z.object({ ok: z.literal(true), name: text })

export function hubRoutes(hub: () => SkillHub): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills/hub/sources',
      summary: 'Sources of skills, those that are installed from them, and removed ones that can be restored',
      response: z.object({
        sources: z.array(z.object({ name: text, can_search: z.boolean(), forms: text })),
        installed: z.array(z.object({ name: text, identifier: text, verdict: text })),
        removed: z.array(z.object({ name: text, identifier: text, removed_at: z.number() })),
      }),
      handle: () => ({
        sources: hub().sources.map(({ name, search, forms }) => ({ name, forms, can_search: search !== undefined })),
        installed: Object.entries(hub().installed).map(([name, { identifier: from, verdict }]) => {
          return { name, identifier: from, verdict }
        }),
        removed: hub().removed.map(({ name, at, entry }) => {
          return { name, identifier: entry.identifier, removed_at: at }
        }),
      }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills/hub/search',
      summary: 'Searches sources for skills; those that do not answer are named',
      query: z.object({
        q: text.trim().min(1).max(200),
        source: text.optional(),
        limit: z.coerce.number().int().min(1).max(100).default(25),
      }),
      response: z.object({
        results: z.array(listingSchema),
        failed: z.array(z.object({ source: text, reason: text })),
      }),
      async handle({ query: { q: query, source: wanted, limit }, signal }) {
        const { searchSources } = await import('./search.ts')
        const sources = hub().sources.filter(({ name, search }) => search && (wanted ?? name) === name)
        const { skills, failed } = await searchSources(sources, { query, limit, signal })
        const installed = new Set(Object.values(hub().installed).map((entry) => entry.identifier))
        return {
          results: skills.map(({ trust, ...each }) => {
            return { ...each, trust_level: trust, installed: installed.has(each.identifier) }
          }),
          failed,
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills/hub/preview',
      summary: 'Fetches a skill and scans it; nothing is installed',
      query: z.object({ identifier }),
      response: previewSchema,
      handle: ({ query, signal }) => hub().inspect(query.identifier, signal, toPreview),
    }),
    ...changeRoutes(hub),
  ]
}

function changeRoutes(hub: () => SkillHub): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/skills/hub/install',
      summary: 'Installs a skill as it was shown, once the scan allows it',
      body: z.object({ identifier, digest: text, category: text.optional(), force: z.boolean().default(false) }),
      response: done,
      handle: ({ body, signal }) =>
        hub().inspect(body.identifier, signal, async (candidate) => {
          const { name } = candidate.skill.header
          if (candidate.skill.hash !== body.digest)
            throw new SvcError('SKILL_EDITED', `${name} was changed since it was shown. Look at it again.`, {
              status: 409,
            })
          const path = await hub().findPlace(name, body.category)
          const { checkAllowed } = await import('./install.ts')
          checkAllowed(candidate, body.force)
          await hub().install(candidate, name, path)
          return { ok: true as const, name }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/skills/hub/remove',
      summary: 'Removes a skill that was installed from elsewhere; its files are kept aside',
      body: z.object({ name: text.min(1) }),
      response: done,
      async handle({ body: { name } }) {
        await hub().remove(name)
        return { ok: true as const, name }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/skills/hub/restore',
      summary: 'Takes the removal of a skill back',
      body: z.object({ name: text.min(1) }),
      response: done,
      async handle({ body: { name } }) {
        await hub().restore(name)
        return { ok: true as const, name }
      },
    }),
  ]
}

async function toPreview({
  fetched,
  folder,
  skill,
  scan,
  decision,
}: Candidate): Promise<z.infer<typeof previewSchema>> {
  const { name, description } = skill.header
  return {
    ...{ name, description, identifier: fetched.identifier, source: fetched.source, trust_level: fetched.trust },
    ...{ verdict: scan.verdict, policy: decision, digest: skill.hash },
    content: await readFile(join(folder, 'SKILL.md'), 'utf8'),
    files: skill.files.map(({ path, bytes }) => ({ path, bytes })),
    findings: scan.findings.map(({ rule, severity, path, line, message }) => {
      return { rule, severity, file: path, message, line: line ?? null }
    }),
  }
}
