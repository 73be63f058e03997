/** Addresses: a SKILL.md, a zip archive, or a site that lists its skills at a well-known place. */
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import { readZip } from '../zip.ts'
import {
  type FetchedSkill,
  type Files,
  fetchBody,
  fetchData,
  type Listing,
  type SkillSource,
  type SourceDeps,
} from './source.ts'

/** A SKILL.md, or a zip archive with a skill. */
export function urlSource(deps: SourceDeps): SkillSource {
  return {
    name: 'url',
    forms: 'https://host/path/SKILL.md, https://host/skill.zip',
    accepts: (identifier) => /^https?:\/\/[^/]+\/.*\.(?:md|zip|skill)(?:[?#]|$)/i.test(identifier),
    fetch: async (identifier, signal) => {
      const bytes = await fetchBody(deps, identifier, signal)
      const parts = new URL(identifier).pathname.split('/').filter((part) => part !== '')
      const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
      const last = parts.at(-1)?.replace(/\.\w+$/, '') ?? 'skill'
      const name = isZip || last.toUpperCase() !== 'SKILL' ? last : (parts.at(-2) ?? 'skill')
      const files: Files = isZip ? await readZip(bytes) : new Map([['SKILL.md', bytes]])
      return { identifier, source: 'url', trust: 'community', name, files }
    },
  }
}

const index = z.object({
  skills: z
    .array(
      z.object({ name: z.string(), description: z.string().default(''), files: z.array(z.string()).min(1).max(500) }),
    )
    .max(2000),
})

/** Lists at `/.well-known/skills/index.json`, with the files of each skill below `/.well-known/skills/<name>/`. */
export function wellKnownSource(deps: SourceDeps): SkillSource {
  const root = (site: string) => `${new URL(site).origin}/.well-known/skills`
  const read = (site: string, signal: AbortSignal) => fetchData(deps, `${root(site)}/index.json`, index, signal)
  const parse = (identifier: string) => {
    const text = identifier.replace(/^well-known:/, '')
    const [site = '', name = ''] = text.split('#')
    return { site: /^https?:/.test(site) ? site : `https://${site}`, name }
  }
  return {
    name: 'well-known',
    forms: 'well-known:https://host#skill',
    accepts: (identifier) => identifier.startsWith('well-known:') || /^https?:\/\/[^/]+\/?(?:#.*)?$/.test(identifier),
    fetch: async (identifier, signal): Promise<FetchedSkill> => {
      const { site, name } = parse(identifier)
      const { skills } = await read(site, signal)
      const found =
        skills.find((skill) => skill.name === name) ?? (name === '' && skills.length === 1 ? skills[0] : undefined)
      if (!found)
        throw new SvcError(
          'SKILL_SOURCE',
          `${site} has the skills ${skills.map((skill) => skill.name).join(', ') || '(none)'}. Name one: well-known:${site}#NAME`,
          { status: 404 },
        )
      const files: Files = new Map()
      for (const path of found.files) {
        if (/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)|^\w+:/.test(path))
          throw new SvcError('SKILL_PACKAGE', `${site} lists the path ${path}, which leads out of the skill.`)
        files.set(
          path,
          await fetchBody(
            deps,
            `${root(site)}/${encodeURIComponent(found.name)}/${path.split('/').map(encodeURIComponent).join('/')}`,
            signal,
          ),
        )
      }
      return {
        identifier: `well-known:${new URL(site).origin}#${found.name}`,
        source: 'well-known',
        trust: 'community',
        name: found.name,
        files,
      }
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

/** A hub like skills.sh: it knows skills, which are in repositories at GitHub. */
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

/** A hub like ClawHub, which keeps the archives itself. */
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
        files: await readZip(bytes),
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
