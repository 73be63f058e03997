/** What can be said of an address before anything is looked up: its form, its host, and the secrets in it. */
import { isIP, isIPv4 } from 'node:net'
import { SvcError } from 'svc/sdk'
import { addressProblem } from './address.ts'
import { findSecret } from './secret.ts'

/** What the user allows. */
export interface TargetRule {
  readonly allowPrivate: boolean
  /** Replaces known secrets with `***`. */
  mask(text: string): string
}

/** Names under which clouds serve their metadata. */
const metadataHosts: ReadonlySet<string> = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.oraclecloud.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'rancher-metadata',
])

const MAX_CHARACTERS = 8192

/**
 * The parsed address, or `URL_FORBIDDEN`. `from` says who wants it: a server that sends us on may sign the address it
 * names, so only the model's own are looked through for secrets.
 */
export function checkTarget(text: string, from: 'model' | 'server', rule: TargetRule): URL {
  const url = parse(text)
  const problem =
    formProblem(url) ?? hostProblem(text, url, rule) ?? (from === 'model' ? findSecret(text, rule.mask) : undefined)
  if (problem !== undefined) throw createForbidden(url, problem)
  return url
}

/** The error for an address; only its origin is repeated, because the rest may hold a secret. */
export function createForbidden(url: URL, problem: string): SvcError {
  const origin = url.host === '' ? url.protocol : `${url.protocol}//${url.host}`
  return new SvcError('URL_FORBIDDEN', `${origin} may not be opened: ${problem}.`, { status: 403 })
}

/** The host as it is looked up: without brackets and without the dot that ends a full name. */
export function toHostName(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function parse(text: string): URL {
  if (text.length <= MAX_CHARACTERS && URL.canParse(text)) return new URL(text)
  const what = text.length > MAX_CHARACTERS ? `has over ${MAX_CHARACTERS} characters` : 'is not a web address'
  throw new SvcError('URL_FORBIDDEN', `"${text.slice(0, 60)}" ${what}. It has to look like https://example.com/page.`, {
    status: 400,
  })
}

function formProblem(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https are'
  if (url.username !== '' || url.password !== '') return 'it carries a user name or password'
  return undefined
}

function hostProblem(text: string, url: URL, rule: TargetRule): string | undefined {
  const host = toHostName(url)
  if (host === '') return 'it names no host'
  if (metadataHosts.has(host)) return 'it is where a cloud keeps the keys of this machine'
  if (isIP(host) && addressProblem(host, rule) !== undefined) return findAddressAdvice(host, rule)
  if (rule.allowPrivate) return undefined
  if (host === 'localhost' || host.endsWith('.localhost')) return findAddressAdvice('127.0.0.1', rule)
  return isIPv4(host) && writtenHost(text) !== host ? `${host} is written in a way that hides it` : undefined
}

/** Why an address may not be asked, with what the user can do about it. */
export function findAddressAdvice(address: string, rule: TargetRule): string | undefined {
  const problem = addressProblem(address, rule)
  const canBeAllowed = problem !== undefined && addressProblem(address, { allowPrivate: true }) === undefined
  return canBeAllowed ? `${problem}. The user can allow such addresses with security.allow_private_urls` : problem
}

function writtenHost(text: string): string | undefined {
  return /^\s*\w+:[\\/]*([^\\/?#:]*)/.exec(text)?.[1]
}
