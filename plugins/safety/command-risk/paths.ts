/** Paths in the text of a command, as absolute ones. */
import { posix } from 'node:path'
import { UNKNOWN } from './expand.ts'

const MAX_PATH = 4096
const MAX_LINKS = 8

/** The path that a word is, from the root; undefined when it cannot be known. A pattern stays a pattern. */
export function absolutePath(word: string, cwd: string | undefined, home: string): string | undefined {
  if (word === '' || word.includes(UNKNOWN) || word.length > MAX_PATH) return undefined
  const bare = word.replace(/^file:\/\//, '')
  if (/^~(?=\/|$)/.test(bare)) return tidy(home + bare.slice(1))
  if (/^~[+-]/.test(bare)) return cwd === undefined ? undefined : absolutePath(`.${bare.slice(2)}`, cwd, home)
  if (bare.startsWith('~')) return tidy(`/home/${bare.slice(1)}`)
  if (/^[A-Za-z]:[\\/]/.test(bare)) return bare.replaceAll('\\', '/')
  if (bare.startsWith('/')) return tidy(bare)
  if (cwd === undefined) return undefined
  return absolutePath(`${cwd}/${bare}`, undefined, home)
}

function tidy(path: string): string {
  return posix.normalize(path).replace(/(.)\/$/, '$1')
}

/** The path without the links that are known. */
export function throughLinks(path: string, links: ReadonlyMap<string, string>): string {
  let found = path
  for (let round = 0; links.size && round < MAX_LINKS; round++) {
    const link = [...links.keys()].find((each) => found === each || found.startsWith(`${each}/`))
    if (link === undefined) break
    found = tidy(`${links.get(link)}${found.slice(link.length)}`)
  }
  return found
}

/** Whether a path is the folder or below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
