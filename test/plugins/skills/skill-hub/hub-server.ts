/** Stand-ins of the hubs on loopback: an index, ClawHub, GitHub, a site with a well-known list, plain files. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { zipSync } from 'fflate'

export type SkillFiles = Record<string, string>

export interface HubServer {
  readonly url: string
  /** Skills by `owner/repository`, then by folder. */
  readonly repositories: Record<string, Record<string, SkillFiles>>
  /** Archives by slug. */
  readonly archives: Record<string, Uint8Array>
  /** Skills of the well-known list. */
  readonly site: Record<string, SkillFiles>
  /** Entries of the list of version 0.2; without entries the site does not offer that list. */
  readonly packed: object[]
  /** Answers of plain paths. */
  readonly plain: Record<string, Uint8Array | string>
  /** What was asked, as paths. */
  readonly asked: string[]
  /** All requests fail with this status while it is set. */
  fault: number | undefined
  close(): Promise<void>
}

export async function startHub(): Promise<HubServer> {
  const hub = {
    repositories: {},
    archives: {},
    site: {},
    packed: [],
    plain: {},
    asked: [],
    fault: undefined,
  } as unknown as HubServer & { url: string }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub')
    hub.asked.push(url.pathname + url.search)
    const answer = hub.fault === undefined ? reply(hub, decodeURIComponent(url.pathname), url.searchParams) : undefined
    response.statusCode = hub.fault ?? (answer === undefined ? 404 : 200)
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  hub.close = () => new Promise((resolve) => server.close(() => resolve()))
  return hub
}

function reply(hub: HubServer, path: string, query: URLSearchParams): string | Uint8Array | undefined {
  const parts = path.split('/').slice(1)
  if (path === '/api/search') return JSON.stringify({ skills: listIndex(hub, query.get('q') ?? '') })
  if (parts[0] === 'api' && parts[1] === 'v1') return replyClawhub(hub, parts[2] ?? '', query)
  if (parts[0] === 'repos') return replyTree(hub, `${parts[1]}/${parts[2]}`)
  if (path === '/.well-known/agent-skills/index.json')
    return hub.packed.length > 0
      ? JSON.stringify({ $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json', skills: hub.packed })
      : undefined
  if (path === '/.well-known/skills/index.json')
    return JSON.stringify({
      skills: Object.entries(hub.site).map(([name, files]) => ({
        name,
        description: `About ${name}`,
        files: Object.keys(files),
      })),
    })
  if (parts[1] === 'skills' && parts[0] === '.well-known') return hub.site[parts[2] ?? '']?.[parts.slice(3).join('/')]
  if (hub.plain[path] !== undefined) return hub.plain[path]
  return findRaw(hub, parts)
}

/** `/owner/repository/ref/path`. */
function findRaw({ repositories }: HubServer, [owner, repository, , ...inner]: readonly string[]): string | undefined {
  const skills = Object.entries(repositories[`${owner}/${repository}`] ?? {})
  const files = skills.flatMap(([folder, texts]) =>
    Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, text] as const),
  )
  return files.find(([path]) => path === inner.join('/'))?.[1]
}

function listIndex(hub: HubServer, query: string): object[] {
  return Object.entries(hub.repositories).flatMap(([source, skills]) =>
    Object.keys(skills)
      .filter((folder) => folder.includes(query))
      .map((folder) => ({ id: `${source}/${folder}`, name: folder.split('/').at(-1), source, installs: 7 })),
  )
}

function replyClawhub({ archives }: HubServer, what: string, query: URLSearchParams): string | Uint8Array | undefined {
  const slugs = Object.keys(archives)
  const items = slugs.map((slug) => ({ slug, displayName: slug, summary: `Summary of ${slug}` }))
  if (what === 'download') return archives[query.get('slug') ?? '']
  if (what === 'search')
    return JSON.stringify({ results: items.filter(({ slug }) => slug.includes(query.get('q') ?? '')) })
  if (what !== 'skills') return undefined
  const from = Number(query.get('cursor') ?? 0)
  const to = from + Number(query.get('limit'))
  return JSON.stringify({ items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null })
}

function replyTree({ repositories }: HubServer, repository: string): string | undefined {
  const skills = repositories[repository]
  if (!skills) return undefined
  const tree = Object.entries(skills).flatMap(([folder, files]) =>
    Object.entries(files).map(([name, text]) => ({
      path: `${folder}/${name}`,
      mode: text.startsWith('->') ? '120000' : '100644',
      type: 'blob',
      size: text.length,
    })),
  )
  return JSON.stringify({ sha: 'x', tree, truncated: false })
}

export function zip(files: SkillFiles): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])))
}
