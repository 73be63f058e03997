/** Where a plugin comes from: what a user types, and what is recorded of it. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type GitAddress, parseGitAddress } from './git-address.ts'

/** As npm has it: a scope, a name, and a version, a range or a tag; nothing that a command line could take for more than a word. */
const packageSpec = /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([\w.^~+-]+))?$/i

/** What is to be installed. */
export type Source =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'tarball'; readonly path: string }
  /** `wanted` is a version, a range or a tag of npm. */
  | { readonly kind: 'package'; readonly name: string; readonly wanted: string }
  | ({ readonly kind: 'git' } & GitAddress)
  /** `sha256` is what the user demands of the archive. */
  | { readonly kind: 'https'; readonly url: string; readonly sha256?: string }

/** What was installed. It says exactly which code it was, and is enough to look for a newer version. */
export type Provenance =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'tarball'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'package'; readonly name: string; readonly wanted: string; readonly integrity: string }
  | ({ readonly kind: 'git'; readonly commit: string; readonly refKind: 'tag' | 'branch' | 'commit' } & GitAddress)
  | { readonly kind: 'https'; readonly url: string; readonly sha256: string; readonly etag?: string }

/** Throws `PLUGIN_SPEC` or `PLUGIN_FOLDER`. */
export function parseSource(spec: string, cwd: string): Source {
  const git = parseGitAddress(spec)
  if (git) return { kind: 'git', ...git }
  if (/^https?:/i.test(spec)) return parseAddress(spec)
  const path = resolve(cwd, spec)
  const looksLocal = /^(\.{0,2}[\\/]|\.{1,2}$|[A-Za-z]:[\\/])/.test(spec) || /\.(tgz|tar\.gz)$/.test(spec)
  const stat = existsSync(path) ? statSync(path) : undefined
  if (stat?.isDirectory()) return { kind: 'folder', path }
  if (stat?.isFile() && /\.(tgz|tar\.gz)$/.test(path)) return { kind: 'tarball', path }
  if (stat || looksLocal)
    throw new SvcError('PLUGIN_FOLDER', `${path} is ${stat ? 'neither a folder nor a .tgz file' : 'not there'}.`)
  const [, name, wanted = 'latest'] = packageSpec.exec(spec) ?? []
  if (name !== undefined) return { kind: 'package', name, wanted }
  throw new SvcError('PLUGIN_SPEC', `"${spec}" is not one of these: ${known}.`, { status: 400 })
}

const known =
  'a folder (./my-plugin), a tarball (my-plugin-1.0.0.tgz, https://…/x.tgz), an npm package (name, name@version) or git (github:owner/repository, git+https://…, #tag)'

function parseAddress(spec: string): Source {
  const url = URL.canParse(spec) ? new URL(spec) : undefined
  const isLocal = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isLocal)
    throw new SvcError('PLUGIN_SPEC', `"${spec}" is not encrypted. Use https.`, { status: 400 })
  if (url.username || url.password)
    throw new SvcError('PLUGIN_SPEC', 'The address holds a password, which would be recorded. Remove it.', {
      status: 400,
    })
  const [, sha256] = /^#sha256=([0-9a-f]{64})$/i.exec(url.hash) ?? []
  if (url.hash && sha256 === undefined)
    throw new SvcError('PLUGIN_SPEC', `"${url.hash}" is not a digest: use #sha256= and 64 hexadecimal digits.`, {
      status: 400,
    })
  url.hash = ''
  return { kind: 'https', url: url.href, ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }) }
}

/** As a user would type it. */
export function formatSource(source: Source | Provenance): string {
  if (source.kind === 'package') return `the npm package ${source.name}@${source.wanted}`
  if (source.kind === 'git') return `git ${source.url}${source.ref === undefined ? '' : `#${source.ref}`}`
  return source.kind === 'https' ? source.url : source.path
}

/** Which code it was, for people. */
export function formatExactSource(source: Provenance): string {
  const text = formatSource(source)
  if (source.kind === 'git') return `${text} (commit ${source.commit.slice(0, 12)})`
  return source.kind === 'https' || source.kind === 'tarball' ? `${text} (sha256 ${source.sha256.slice(0, 16)})` : text
}
