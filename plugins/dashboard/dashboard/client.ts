/** Who asks and by which address: as the connection says, or a reverse proxy that the configuration trusts. */
import { BlockList, isIP } from 'node:net'
import { SvcError } from 'svc/sdk'
import type { DashboardClient } from 'svc/sdk/dashboard'
import { isLoopbackHost } from 'svc/sdk/provider'
import type { HttpRequest } from 'svc/sdk/web'

export interface ClientRules {
  readonly publicUrl: string | undefined
  /** IP addresses and ranges. */
  readonly trustedProxies: readonly string[]
  readonly isLoginRequired: boolean
}

export type DescribeClient = (request: HttpRequest) => DashboardClient

/** Throws `DASHBOARD_PROXY`. */
export function createClientReader({ publicUrl, trustedProxies, isLoginRequired }: ClientRules): DescribeClient {
  const isTrusted = createTrust(trustedProxies)
  const given = publicUrl === undefined ? undefined : new URL(publicUrl)
  return ({ address, headers }) => {
    const isProxied = isTrusted(address)
    const host = headers['host'] ?? ''
    const proxy = { proto: headers['x-forwarded-proto'], prefix: headers['x-forwarded-prefix'] }
    const { proto, prefix } = isProxied ? proxy : { proto: undefined, prefix: undefined }
    const isPublic = given !== undefined && (isProxied || host === given.host)
    const url = isPublic
      ? `${given.origin}${readPath(given.pathname)}`
      : `${proto === 'https' ? 'https' : 'http'}://${host}${readPath(prefix ?? '')}`
    return {
      address: isProxied ? findClient(headers['x-forwarded-for'] ?? '', address, isTrusted) : plainAddress(address),
      url,
      isLoginRequired,
    }
  }
}

/** The path before the dashboard, without a slash at its end; empty for what is no plain path. */
export function readPath(given: string): string {
  const path = given.replace(/\/+$/, '')
  return /^(\/[\w.~-]+)+$/.test(path) && !path.includes('..') ? path : ''
}

/** The path of an address that `DescribeClient` made. */
export function readBasePath({ url }: DashboardClient): string {
  return /^https?:\/\/[^/]*(.*)$/.exec(url)?.[1] ?? ''
}

/** Whether a request came straight from this machine: it names this machine, and no proxy passed it on. */
export function isDirect({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const name = (headers['host'] ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  const isPassedOn = ['forwarded', 'via', 'x-real-ip'].some((each) => each in headers)
  return isLoopbackHost(name) && !isPassedOn && !Object.keys(headers).some((each) => each.startsWith('x-forwarded-'))
}

/** The last address that no trusted proxy has: all before it were written by the client itself. */
function findClient(chain: string, connected: string, isTrusted: (address: string) => boolean): string {
  let found = connected
  for (const each of chain.split(',').toReversed()) {
    const address = plainAddress(each.trim().replace(/^\[(.*)\](:\d+)?$/, '$1'))
    if (isIP(address) === 0) break
    found = address
    if (!isTrusted(address)) break
  }
  return plainAddress(found)
}

/** IPv4 in IPv6 as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function createTrust(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [, address = '', length] = /^([^/]*)(?:\/(.*))?$/.exec(range) ?? []
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const bits = Number(length)
    const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= (family === 'ipv6' ? 128 : 32))
    if (isIP(address) === 0 || !isLength) {
      const text = `dashboard.server.trusted_proxies: "${range}" is no IP address or range. Write it as 10.0.0.5 or 10.0.0.0/24.`
      throw new SvcError('DASHBOARD_PROXY', text)
    }
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, bits, family)
  }
  return (given) => {
    const address = plainAddress(given)
    return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}
