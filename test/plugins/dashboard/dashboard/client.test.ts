/** Who asks, by a connection and by what proxies say of it. */
import { expect, test } from 'vitest'
import {
  type ClientRules,
  createClientReader,
  isDirect,
  readBasePath,
} from '../../../../plugins/dashboard/dashboard/client.ts'

const SVC = 'svc.example'

function read(rules: Partial<ClientRules>, address: string, headers: Record<string, string>) {
  const describe = createClientReader({ publicUrl: undefined, trustedProxies: [], isLoginRequired: true, ...rules })
  const request = { address, headers } as unknown as Parameters<typeof describe>[0]
  const { url, address: found } = describe(request)
  return [found, url]
}

const forwarded = {
  host: SVC,
  'x-forwarded-for': '198.51.100.7, 10.0.0.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-prefix': '/agent',
}

test('what a proxy says is believed only of those that are configured, and of the last hop that is not one of them', () => {
  expect(read({}, '10.0.0.5', forwarded)).toEqual(['10.0.0.5', 'http://svc.example'])
  expect(read({ trustedProxies: ['10.0.0.5'] }, '10.0.0.5', forwarded)).toEqual([
    '10.0.0.9',
    'https://svc.example/agent',
  ])
  expect(read({ trustedProxies: ['10.0.0.0/24'] }, '::ffff:10.0.0.5', forwarded)).toEqual([
    '198.51.100.7',
    'https://svc.example/agent',
  ])
  expect(read({ trustedProxies: ['fd00::/8'] }, 'fd00::1', { ...forwarded, 'x-forwarded-for': '2001:db8::7' })).toEqual(
    ['2001:db8::7', 'https://svc.example/agent'],
  )
})

test('a chain that a client made up ends at the first word that is no address', () => {
  const chain = (text: string) =>
    read({ trustedProxies: ['10.0.0.0/8'] }, '10.0.0.5', { host: SVC, 'x-forwarded-for': text })[0]
  expect(chain('')).toBe('10.0.0.5')
  expect(chain('nonsense')).toBe('10.0.0.5')
  expect(chain('203.0.113.1, nonsense, 10.0.0.7')).toBe('10.0.0.7')
  expect(chain('203.0.113.1, 198.51.100.7, 10.0.0.7')).toBe('198.51.100.7')
})

test('the public address counts where it is named, and where a proxy asks that names another host', () => {
  const rules = { publicUrl: 'https://svc.example/agent/' }
  expect(read(rules, '10.0.0.5', { host: SVC })[1]).toBe('https://svc.example/agent')
  expect(read(rules, '127.0.0.1', { host: '127.0.0.1:9119' })[1]).toBe('http://127.0.0.1:9119')
  const trusting = { ...rules, trustedProxies: ['127.0.0.1'] }
  expect(read(trusting, '127.0.0.1', { host: '127.0.0.1:9119' })[1]).toBe('https://svc.example/agent')
})

test('a prefix that is no plain path counts for nothing', () => {
  for (const prefix of ['//evil.example', '/a"><b', '/../x', 'agent', '/a b', '/%2e%2e']) {
    const [, url = ''] = read({ trustedProxies: ['10.0.0.5'] }, '10.0.0.5', { host: SVC, 'x-forwarded-prefix': prefix })
    expect([prefix, url]).toEqual([prefix, 'http://svc.example'])
  }
  expect(readBasePath({ url: 'https://svc.example/a/b', address: '', isLoginRequired: true })).toBe('/a/b')
  expect(readBasePath({ url: 'https://svc.example', address: '', isLoginRequired: true })).toBe('')
})

test('a proxy that is no address or range is refused before anything listens', () => {
  for (const wrong of ['svc.example', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8x'])
    expect([
      wrong,
      code(() => createClientReader({ publicUrl: undefined, trustedProxies: [wrong], isLoginRequired: true })),
    ]).toEqual([wrong, 'DASHBOARD_PROXY'])
})

test('a request is direct that names this machine and that no proxy passed on', () => {
  for (const host of ['localhost:9119', '127.0.0.1', '[::1]:9119']) expect(isDirect({ headers: { host } })).toBe(true)
  expect(isDirect({ headers: { host: SVC } })).toBe(false)
  expect(isDirect({ headers: {} })).toBe(false)
  expect(isDirect({ headers: { host: 'localhost', 'x-forwarded-anything': '' } })).toBe(false)
})

function code(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as { readonly code?: string }).code
  }
}
