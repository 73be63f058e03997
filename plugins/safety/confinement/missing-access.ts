/** Finds missing access from the error messages of programs about a file, a host or a socket. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { SandboxPolicy } from 'svc/sdk/shell'
import { guardedRoot } from './guarded.ts'
import { isWithin, type Machine, realPath } from './machine.ts'
import { readNeeds } from './needs.ts'

/** What a refused request reads; `lacked` finds the host in it. */
export const NOT_GRANTED = 'svc: not granted: network:'

type AccessContext = Pick<SandboxPolicy, 'project' | 'cwd' | 'needs'>

const MAX_TEXT = 20_000
const MAX_NEEDS = 4
/** The name of a host follows. */
const HOSTS = [
  new RegExp(`${NOT_GRANTED}([\\w.-]+)`, 'g'),
  /Could not resolve (?:proxy|host)(?:name)?:? "?([\w.-]+)/gi,
  /(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g,
  /unable to resolve host address [‘'"]?([\w.-]+)/g,
  /Failed to resolve '([\w.-]+)'/g,
  /dial tcp: lookup ([\w.-]+)/g,
  /resolving '([\w.-]+)'/g,
  /host='([\w.-]+)', port=/g,
]
/** The network is missing, and the output contains an address elsewhere. */
const OFFLINE =
  /Network is unreachable|Temporary failure in name resolution|Name or service not known|nodename nor servname|No address associated with hostname|failed to lookup address information|ENETUNREACH|getaddrinfo/i
const SSH = /Could not resolve hostname|ssh: connect to host/
const DOCKER =
  /Cannot connect to the Docker daemon|docker\.sock.*(?:no such file|ECONNREFUSED|ENOENT)|dial unix \S*docker/i
const AGENT = /Could not open a connection to your authentication agent|Permission denied \(publickey/
const DISPLAY = /cannot open display|Missing X server|no display environment|Failed to connect to Wayland/i
/** A path precedes or follows. */
const READ_ONLY = [
  /[‘'"]?([^\s‘’'":]+)[’'"]?: (?:Read-only file system|Device or resource busy)/g,
  /(?:EROFS|EBUSY)[^\n]*? '([^'\n]+)'/g,
  /(?:Read-only file system|Device or resource busy)[^\n]*?: '([^'\n]+)'/g,
]
const MISSING = [
  /[‘'"]?(\/[^\s‘’'":]+)[’'"]?: No such file or directory/g,
  /ENOENT[^\n]*? '(\/[^'\n]+)'/g,
  /No such file or directory[^\n]*?: '(\/[^'\n]+)'/g,
]

/** At most four, in the words that `readNeeds` takes. */
export function lackedNeeds(output: string, place: AccessContext, machine: Machine): readonly string[] {
  const text = output.slice(-MAX_TEXT)
  const found = [...ofNetwork(text), ...ofSockets(text), ...ofWriting(text, place), ...ofReading(text, place)]
  const has = new Set(place.needs)
  const needs = found.flatMap((need) => grantable(need, place, machine)).filter((need) => !has.has(need))
  return [...new Set(needs)].slice(0, MAX_NEEDS)
}

function ofNetwork(text: string): string[] {
  if (SSH.test(text)) return ['network']
  const named = HOSTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, host = '']) => host))
  if (named.length > 0) return named.map((host) => `network:${host.replace(/\.$/, '')}`)
  if (!OFFLINE.test(text)) return []
  const addresses = [...text.matchAll(/https?:\/\/([\w.-]+\.[a-z]{2,})/gi)].map(([, host]) => `network:${host}`)
  return addresses.length > 0 ? addresses : ['network']
}

function ofSockets(text: string): string[] {
  return [
    ...(DOCKER.test(text) ? ['socket:docker'] : []),
    ...(AGENT.test(text) ? ['socket:ssh-agent'] : []),
    ...(DISPLAY.test(text) ? ['display'] : []),
  ]
}

/** In the project the very file; elsewhere the folder that something was to be written to. */
function ofWriting(text: string, { project, cwd }: AccessContext): string[] {
  return findNames(READ_ONLY, text).flatMap((path) => {
    const whole = realPath(resolve(cwd, path))
    if (isWithin(whole, project)) {
      const root = guardedRoot(whole.replace(/\.lock$/, ''), project)
      return root === undefined ? [] : [`write:${root}`]
    }
    return `write:${existsSync(whole) ? whole : existing(dirname(whole))}`
  })
}

/** It is there and was not seen. */
function ofReading(text: string, { project }: AccessContext): string[] {
  const paths = findNames(MISSING, text).map((path) => realPath(path))
  return paths.filter((path) => !isWithin(path, project) && existsSync(path)).map((path) => `read:${path}`)
}

function findNames(patterns: readonly RegExp[], text: string): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path))
}

function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path))
}

/** In its one spelling; nothing for what is never granted. */
function grantable(need: string, { cwd }: AccessContext, machine: Machine): string[] {
  try {
    return readNeeds([need], cwd, machine).map((each) => each.need)
  } catch (error) {
    if (error instanceof SvcError && error.code === 'CONFINEMENT_NEED') return []
    throw error
  }
}
