/** Parses and checks needs: what a command may reach besides its project. */
import { resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { SandboxNeedText } from 'svc/sdk/shell'
import { explainNeverGranted, type Machine, realPath } from './machine.ts'
import { holdsMuch } from './project.ts'

/** A need as it is used. */
export type ParsedNeed = SandboxNeedText &
  (
    | { readonly kind: 'network' | 'processes' | 'display' }
    | { readonly kind: 'host'; readonly host: string }
    | { readonly kind: 'port'; readonly port: number }
    | { readonly kind: 'socket'; readonly name: 'docker' | 'ssh-agent' }
    | { readonly kind: 'read' | 'write'; readonly path: string }
  )

const NEED_FORMS =
  'network, network:<host>, port:<number>, socket:docker, socket:ssh-agent, read:<path>, write:<path>, processes, display'
const HOST = /^(?=.{1,253}$)(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const LOWEST_PORT = 1024
const HIGHEST_PORT = 65_535

/** Throws `CONFINEMENT_NEED`. Each need once, in the order of their spelling. */
export function readNeeds(needs: readonly string[], cwd: string, machine: Machine): readonly ParsedNeed[] {
  const all = needs.map((need) => readNeed(need.trim(), cwd, machine))
  return [...new Map(all.map((each) => [each.need, each])).values()].sort((one, two) => (one.need < two.need ? -1 : 1))
}

function readNeed(need: string, cwd: string, machine: Machine): ParsedNeed {
  const colon = need.indexOf(':')
  const [word, rest] = colon < 0 ? [need, ''] : [need.slice(0, colon), need.slice(colon + 1)]
  if (word === 'read' || word === 'write') return readPath(word, rest, cwd, machine)
  if (word === 'network' && rest !== '') return readHost(rest)
  if (word === 'port') return readPort(rest)
  if (word === 'socket') return readSocket(rest)
  if (need === 'network')
    return { kind: 'network', need, permits: 'reach any host, and the services of this machine and its network' }
  if (need === 'processes') return { kind: 'processes', need, permits: 'see and end all programs of this user' }
  if (need === 'display') return { kind: 'display', need, permits: 'show windows, and read the screen and the keys' }
  throw unknown(need)
}

function readPath(kind: 'read' | 'write', text: string, cwd: string, machine: Machine): ParsedNeed {
  if (text === '') throw unknown(`${kind}:`)
  const path = realPath(resolve(cwd, text.replace(/^~(?=\/|$)/, machine.home)))
  const why =
    explainNeverGranted(path, machine) ??
    (holdsMuch(path) ? 'holds more than the task needs: name a folder in it' : undefined)
  if (why !== undefined) throw createNeedError(`${kind}:${path}`, `${path} ${why}`)
  return { kind, path, need: `${kind}:${path}`, permits: kind === 'read' ? `read ${path}` : `change ${path}` }
}

function readHost(text: string): ParsedNeed {
  const host = text.toLowerCase().replace(/\.$/, '')
  // An address, this machine or a whole top-level domain is never meant by a name of a host.
  if (!HOST.test(host) || /^[\d.]+$/.test(host) || !host.includes('.') || host.endsWith('.localhost'))
    throw createNeedError(`network:${text}`, 'it takes the name of a host with a dot in it, such as registry.npmjs.org')
  return { kind: 'host', host, need: `network:${host}`, permits: `reach ${host}` }
}

function readPort(text: string): ParsedNeed {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < LOWEST_PORT || port > HIGHEST_PORT)
    throw createNeedError(`port:${text}`, `a port is a number from ${LOWEST_PORT} to ${HIGHEST_PORT}`)
  return { kind: 'port', port, need: `port:${port}`, permits: `serve this machine on port ${port}` }
}

function readSocket(name: string): ParsedNeed {
  const need = `socket:${name}`
  if (name === 'docker')
    return { kind: 'socket', name, need, permits: 'give orders to docker, which can change everything on this machine' }
  if (name === 'ssh-agent') return { kind: 'socket', name, need, permits: 'use the keys of the ssh agent' }
  throw unknown(need)
}

function unknown(need: string): SvcError {
  return createNeedError(need, `there are ${NEED_FORMS}`)
}

function createNeedError(need: string, why: string): SvcError {
  return new SvcError('CONFINEMENT_NEED', `The need "${need}" cannot be granted: ${why}.`)
}
