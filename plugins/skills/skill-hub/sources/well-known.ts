/**
 * Sites that list their skills at a well-known place: https://github.com/cloudflare/agent-skills-discovery-rfc.
 * Version 0.2 lists addresses with digests at `/.well-known/agent-skills/index.json`: `type` is `skill-md` for a single SKILL.md and
 * `archive` for a packed folder. Version 0.1 lists files below `/.well-known/skills/<name>/`, at `/.well-known/skills/index.json`.
 */
import { createHash } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import { readArchive } from '../archive.ts'
import { type FetchedSkill, type Files, fetchBody, fetchData, type SkillSource, type SourceDeps } from './source.ts'

const packed = z.object({
  name: z.string(),
  type: z.enum(['skill-md', 'archive']),
  description: z.string().default(''),
  /** Absolute, or relative to the index. */
  url: z.string(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
})
const listed = z.object({
  name: z.string(),
  description: z.string().default(''),
  files: z.array(z.string()).min(1).max(500),
})
const packedIndex = z.object({ skills: z.array(packed).max(2000) })
const listedIndex = z.object({ skills: z.array(listed).max(2000) })

type Entry = z.infer<typeof packed> | z.infer<typeof listed>

interface Index {
  readonly url: string
  readonly skills: readonly Entry[]
}

export function wellKnownSource(deps: SourceDeps): SkillSource {
  return {
    name: 'well-known',
    forms: 'well-known:https://host#skill',
    accepts: (identifier) => identifier.startsWith('well-known:') || /^https?:\/\/[^/]+\/?(?:#.*)?$/.test(identifier),
    fetch: async (identifier, signal): Promise<FetchedSkill> => {
      const { site, name } = parse(identifier)
      const index = await readIndex(deps, site, signal)
      const found = findEntry(index.skills, site, name)
      return {
        identifier: `well-known:${new URL(site).origin}#${found.name}`,
        source: 'well-known',
        trust: 'community',
        name: found.name,
        files: await ('files' in found
          ? fetchListed(deps, index.url, found, signal)
          : fetchPacked(deps, index.url, found, signal)),
      }
    },
  }
}

function parse(identifier: string): { readonly site: string; readonly name: string } {
  const [site = '', name = ''] = identifier.replace(/^well-known:/, '').split('#')
  return { site: /^https?:/.test(site) ? site : `https://${site}`, name }
}

/** That of the newer version, or of the older where the site has no newer one. */
async function readIndex(deps: SourceDeps, site: string, signal: AbortSignal): Promise<Index> {
  const root = `${new URL(site).origin}/.well-known`
  const newer = `${root}/agent-skills/index.json`
  try {
    return { url: newer, ...(await fetchData(deps, newer, packedIndex, signal)) }
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'SKILL_SOURCE') throw error
    const older = `${root}/skills/index.json`
    return { url: older, ...(await fetchData(deps, older, listedIndex, signal)) }
  }
}

function findEntry(skills: readonly Entry[], site: string, name: string): Entry {
  const found =
    skills.find((skill) => skill.name === name) ?? (name === '' && skills.length === 1 ? skills[0] : undefined)
  if (found) return found
  const names = skills.map((skill) => skill.name).join(', ') || '(none)'
  throw new SvcError('SKILL_SOURCE', `${site} has the skills ${names}. Name one: well-known:${site}#NAME`, {
    status: 404,
  })
}

async function fetchPacked(
  deps: SourceDeps,
  index: string,
  { type, url, digest }: z.infer<typeof packed>,
  signal: AbortSignal,
): Promise<Files> {
  const address = URL.canParse(url, index) ? new URL(url, index) : undefined
  if (!address || !/^https?:$/.test(address.protocol))
    throw new SvcError('SKILL_PACKAGE', `${index} lists ${url}, which is no address.`)
  const bytes = await fetchBody(deps, address.href, signal)
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
    throw new SvcError(
      'SKILL_PACKAGE',
      `${address.href} has not the content that ${index} names: its digest differs. Nothing was kept.`,
    )
  return type === 'archive' ? await readArchive(bytes) : new Map([['SKILL.md', bytes]])
}

async function fetchListed(
  deps: SourceDeps,
  index: string,
  { name, files: paths }: z.infer<typeof listed>,
  signal: AbortSignal,
): Promise<Files> {
  const files: Files = new Map()
  for (const path of paths) {
    if (/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)|^\w+:/.test(path))
      throw new SvcError('SKILL_PACKAGE', `${index} lists the path ${path}, which leads out of the skill.`)
    const inner = path.split('/').map(encodeURIComponent).join('/')
    files.set(path, await fetchBody(deps, new URL(`${encodeURIComponent(name)}/${inner}`, index).href, signal))
  }
  return files
}
