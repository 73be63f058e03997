/** Addresses of a SKILL.md or an archive, and the hubs skills.sh and ClawHub. */
import { z } from 'zod'
import { isArchive, readArchive } from '../archive.ts'
import { type Files, fetchBody, fetchData, type Listing, type SkillSource, type SourceDeps } from './source.ts'

/** A SKILL.md, or an archive with a skill. */
export function urlSource(deps: SourceDeps): SkillSource {
  return {
    name: 'url',
    forms: 'https://host/path/SKILL.md, https://host/skill.zip, https://host/skill.tar.gz',
    accepts: (identifier) => /^https?:\/\/[^/]+\/.*\.(?:md|zip|skill|tgz|tar\.gz)(?:[?#]|$)/i.test(identifier),
    fetch: async (identifier, signal) => {
      const bytes = await fetchBody(deps, identifier, signal)
      const parts = new URL(identifier).pathname.split('/').filter((part) => part !== '')
      const isPacked = isArchive(bytes)
      const last = parts.at(-1)?.replace(/(?:\.tar)?\.\w+$/, '') ?? 'skill'
      const name = isPacked || last.toUpperCase() !== 'SKILL' ? last : (parts.at(-2) ?? 'skill')
      const files: Files = isPacked ? await readArchive(bytes) : new Map([['SKILL.md', bytes]])
      return { identifier, source: 'url', trust: 'community', name, files }
    },
  }
}

const searched = z.object({
  skills: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      skillId: z.string().optional(),
      source: z.string(),
      description: z.string().optional(),
    }),
  ),
})

/**
 * A hub like skills.sh: it knows skills, which are in repositories at GitHub. `GET /api/search?q=&limit=` answers
 * `{ query, searchType, skills: [{ id, skillId, name, installs, source }] }`, with `owner/repository` as `source`; it is what the
 * program `skills` of https://github.com/vercel-labs/skills asks.
 */
export function indexSource(deps: SourceDeps, base: string, github: SkillSource): SkillSource {
  const search = async (query: string, limit: number, signal: AbortSignal): Promise<Listing[]> => {
    const { skills } = await fetchData(
      deps,
      `${base}/api/search?q=${encodeURIComponent(query)}&limit=${limit}`,
      searched,
      signal,
    )
    return skills.map(({ id, name, skillId, description, source }) => {
      const repository = /^[\w.-]+\/[\w.-]+$/.test(source)
      const trust = deps.trusted.includes(source) ? 'trusted' : 'community'
      return {
        identifier: `skills.sh:${repository && !id.startsWith(`${source}/`) ? `${source}/${id}` : id}`,
        name: name ?? skillId ?? id,
        description: description ?? '',
        source: 'skills.sh',
        trust,
      }
    })
  }
  return {
    name: 'skills.sh',
    forms: 'skills.sh:owner/repository/skill',
    accepts: (identifier) => identifier.startsWith('skills.sh:'),
    fetch: async (identifier, signal) => ({
      ...(await github.fetch(`github:${identifier.slice('skills.sh:'.length)}`, signal)),
      identifier,
      source: 'skills.sh',
    }),
    search: (query, signal) => search(query, 50, signal),
  }
}

const results = z.object({
  results: z.array(z.object({ slug: z.string(), displayName: z.string().nullish(), summary: z.string().nullish() })),
})
const pages = z.object({
  items: z.array(z.object({ slug: z.string(), displayName: z.string().nullish(), summary: z.string().nullish() })),
  nextCursor: z.string().nullish(),
})

/**
 * A hub like ClawHub, which keeps the archives itself: https://docs.openclaw.ai/tools/clawhub. Below `/api/v1`: `search?q=` answers
 * `{ results: [{ slug, displayName, summary, score }] }`, `skills?limit=&cursor=` `{ items, nextCursor }`, and
 * `download?slug=&version=` a zip archive.
 */
export function clawhubSource(deps: SourceDeps, base: string): SkillSource {
  const toListing = ({ slug, displayName, summary }: z.infer<typeof results>['results'][number]): Listing => {
    return {
      identifier: `clawhub:${slug}`,
      name: displayName ?? slug,
      description: summary ?? '',
      source: 'clawhub',
      trust: 'community',
    }
  }
  return {
    name: 'clawhub',
    forms: 'clawhub:skill, clawhub:skill@1.2.0',
    accepts: (identifier) => identifier.startsWith('clawhub:'),
    fetch: async (identifier, signal) => {
      const [slug = '', version] = identifier.slice('clawhub:'.length).split('@')
      const wanted = version === undefined ? '' : `&version=${encodeURIComponent(version)}`
      const bytes = await fetchBody(deps, `${base}/api/v1/download?slug=${encodeURIComponent(slug)}${wanted}`, signal)
      return {
        identifier,
        source: 'clawhub',
        trust: 'community',
        name: slug.split('/').at(-1) ?? slug,
        files: await readArchive(bytes),
      }
    },
    search: async (query, signal) => {
      const { results: found } = await fetchData(
        deps,
        `${base}/api/v1/search?q=${encodeURIComponent(query)}`,
        results,
        signal,
      )
      return found.map(toListing)
    },
    browse: async (page, size, signal) => {
      let cursor: string | null | undefined
      for (let at = 1; ; at += 1) {
        const from: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
        const answer: z.infer<typeof pages> = await fetchData(
          deps,
          `${base}/api/v1/skills?limit=${size}${from}`,
          pages,
          signal,
        )
        if (at === page) return answer.items.map(toListing)
        cursor = answer.nextCursor
        if (!cursor) return []
      }
    },
  }
}
