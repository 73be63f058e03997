/** Repositories at GitHub: a folder of one, or a tap, which is a repository with many skills. */
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import {
  type FetchedSkill,
  type Files,
  fetchBody,
  fetchData,
  type Listing,
  type SkillSource,
  type SourceDeps,
} from './source.ts'

/** https://docs.github.com/rest/git/trees#get-a-tree */
const treeAnswer = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), size: z.number().optional() })),
})
type Tree = z.infer<typeof treeAnswer>['tree']

export interface GithubPlace {
  readonly repository: string
  /** A folder of the repository, or the name of a skill in it. */
  readonly path: string
  readonly ref: string
}

const MAX_FILES = 500
const MAX_BYTES = 10 * 2 ** 20

/** `owner/repository/path@ref`, with or without `github:`, or an address of a folder at github.com. */
export function parsePlace(identifier: string): GithubPlace | undefined {
  const address =
    /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:tree|blob)\/([^/]+)(?:\/(.*?))?)?\/?$/.exec(
      identifier,
    )
  if (address)
    return {
      repository: address[1] ?? '',
      ref: address[2] ?? 'HEAD',
      path: (address[3] ?? '').replace(/\/?SKILL\.md$/, ''),
    }
  const plain = /^(?:github:)?([\w][\w.-]*\/[\w.-]+)((?:\/[\w.-]+)*)(?:@([\w./-]+))?$/.exec(identifier)
  if (!plain || /(?:^|\/)\.\.?(?:\/|$)/.test(plain[2] ?? '')) return undefined
  return { repository: plain[1] ?? '', path: (plain[2] ?? '').slice(1), ref: plain[3] ?? 'HEAD' }
}

export function githubSource(
  deps: SourceDeps,
  hosts: { readonly api: string; readonly raw: string },
  taps: () => readonly string[],
): SkillSource {
  const headers = () => {
    const token = deps.token()
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }
  const readTree = async ({ repository, ref }: GithubPlace, signal: AbortSignal): Promise<Tree> => {
    const url = `${hosts.api}/repos/${repository}/git/trees/${encodeURIComponent(ref)}?recursive=1`
    return (await fetchData(deps, url, treeAnswer, signal, headers())).tree
  }
  const rateTrust = (repository: string) =>
    (deps.trusted.includes(repository) ? 'trusted' : 'community') as Listing['trust']
  const list = async (repository: string, signal: AbortSignal): Promise<Listing[]> => {
    const tree = await readTree({ repository, ref: 'HEAD', path: '' }, signal)
    return findSkills(tree).map((folder) => {
      return {
        identifier: `github:${repository}${folder === '' ? '' : `/${folder}`}`,
        name: folder.split('/').at(-1) || repository,
        description: '',
        source: `github:${repository}`,
        trust: rateTrust(repository),
      }
    })
  }
  return {
    name: 'github',
    forms:
      'owner/repository/skill, github:owner/repository/path@ref, https://github.com/owner/repository/tree/main/skill',
    accepts: (identifier) => parsePlace(identifier) !== undefined,
    fetch: async (identifier, signal): Promise<FetchedSkill> => {
      const place = parsePlace(identifier)
      if (!place) throw new SvcError('SKILL_SOURCE', `${identifier} is no folder of a repository.`)
      const tree = await readTree(place, signal)
      const folder = chooseFolder(tree, place)
      const files: Files = new Map()
      for (const path of checkEntries(tree, folder)) {
        const url = `${hosts.raw}/${place.repository}/${encodeURIComponent(place.ref)}/${path.split('/').map(encodeURIComponent).join('/')}`
        files.set(folder === '' ? path : path.slice(folder.length + 1), await fetchBody(deps, url, signal, headers()))
      }
      const ref = place.ref === 'HEAD' ? '' : `@${place.ref}`
      return {
        identifier: `github:${place.repository}${folder === '' ? '' : `/${folder}`}${ref}`,
        source: 'github',
        trust: rateTrust(place.repository),
        name: folder.split('/').at(-1) || (place.repository.split('/')[1] ?? ''),
        files,
      }
    },
    search: async (query, signal) => {
      const found = await Promise.allSettled(taps().map((tap) => list(tap, signal)))
      signal.throwIfAborted()
      const listed = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = found.find((each) => each.status === 'rejected')
      if (listed.length === 0 && failed) throw failed.reason
      const words = query.toLowerCase().split(/\s+/)
      return listed.filter(({ identifier }) => words.every((word) => identifier.toLowerCase().includes(word)))
    },
    browse: async (page, size, signal) => {
      const all = (await Promise.all(taps().map((tap) => list(tap, signal)))).flat()
      return all.slice((page - 1) * size, page * size)
    },
  }
}

function findSkills(tree: Tree): string[] {
  return tree
    .filter(({ path, type }) => type === 'blob' && /(?:^|\/)SKILL\.md$/.test(path))
    .map(({ path }) => path.replace(/\/?SKILL\.md$/, ''))
}

/** The folder itself, or the one skill whose folder has that name. */
function chooseFolder(tree: Tree, { repository, path }: GithubPlace): string {
  const skills = findSkills(tree)
  if (skills.includes(path)) return path
  const named = skills.filter(
    (folder) =>
      path !== '' &&
      (folder === path || folder.endsWith(`/${path}`) || folder.split('/').at(-1) === path.split('/').at(-1)),
  )
  if (named.length === 1 && named[0] !== undefined) return named[0]
  const all = (named.length ? named : skills).slice(0, 20).join(', ')
  throw new SvcError('SKILL_SOURCE', `${repository} has no skill ${path || 'at its top'}. It has: ${all || 'none'}.`, {
    status: 404,
  })
}

/** The files of the folder, without skills that are in it. */
function checkEntries(tree: Tree, folder: string): string[] {
  const inner = folder === '' ? '' : `${folder}/`
  const entries = tree.filter(({ path, type }) => path.startsWith(inner) && type !== 'tree')
  const odd = entries.find(({ mode, type }) => mode === '120000' || type !== 'blob')
  if (odd) throw new SvcError('SKILL_PACKAGE', `${odd.path} is a link; a skill has files only.`)
  const total = entries.reduce((sum, { size = 0 }) => sum + size, 0)
  if (entries.length > MAX_FILES || total > MAX_BYTES)
    throw new SvcError(
      'SKILL_PACKAGE',
      `${folder || 'The repository'} has more than ${MAX_FILES} files or ${MAX_BYTES / 2 ** 20} MiB.`,
    )
  return entries.map(({ path }) => path)
}
