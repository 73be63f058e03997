import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressProblem } from '../../../../plugins/safety/address-guard/address.ts'
import { checkTarget } from '../../../../plugins/safety/address-guard/target.ts'
import { metadataAddress, privateAddress, publicAddress, spellings4, spellings6 } from './spellings.ts'

const strict = { allowPrivate: false, mask: (text: string) => text }
const lenient = { ...strict, allowPrivate: true }
const spelling = fc.constantFrom(...spellings4, ...spellings6)
const around = fc.record({
  scheme: fc.constantFrom('http', 'HTTPS', 'https'),
  port: fc.constantFrom('', ':80', ':8443'),
  path: fc.constantFrom('', '/', '/latest/meta-data?x=1', '#part'),
})
const addressed = ({ scheme, port, path }: { scheme: string; port: string; path: string }, host: string) =>
  `${scheme}://${host}${port}${path}`

test('every spelling of a private address is refused', () => {
  fc.assert(
    fc.property(privateAddress, spelling, around, (address, spell, rest) => {
      expect(() => checkTarget(addressed(rest, spell(address)), 'model', strict)).toThrow('may not be opened')
    }),
    { numRuns: 2000 },
  )
})

test('every spelling of a metadata address is refused, whatever the user allows', () => {
  fc.assert(
    fc.property(metadataAddress, spelling, around, (address, spell, rest) => {
      expect(() => checkTarget(addressed(rest, spell(address)), 'server', lenient)).toThrow('keys of this machine')
    }),
    { numRuns: 2000 },
  )
})

test('a public address in its usual spelling is let through, in any other it is not', () => {
  fc.assert(
    fc.property(publicAddress, fc.constantFrom(...spellings4.slice(2)), around, (address, spell, rest) => {
      const [usual] = spellings4
      const url = checkTarget(addressed(rest, usual?.(address) ?? ''), 'model', strict)
      expect(url.hostname).toBe(address.join('.'))
      expect(() => checkTarget(addressed(rest, spell(address)), 'model', strict)).toThrow('hides it')
    }),
  )
})

test.for([
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  '64:ff9b:1::a00:1',
  'fec0::1',
  'nonsense',
  '1.2.3',
])('%s is no public address', (address) => {
  expect(addressProblem(address, strict)).toContain(address)
})

test.for(['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '64:ff9b::808:808', '1.1.1.1', '100.128.0.1'])(
  '%s is a public address',
  (address) => {
    expect(addressProblem(address, strict)).toBeUndefined()
  },
)

test.for(['fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe', '100.100.100.200', '168.63.129.16', '192.0.0.192'])(
  '%s, where some cloud serves metadata, stays refused when private addresses are allowed',
  (address) => {
    expect(addressProblem(address, lenient)).toContain('keys of this machine')
  },
)

test.for(['127.0.0.1', '10.1.2.3', '::1', 'fd12::1', '::ffff:192.168.0.1'])(
  'the user can allow %s, which is private',
  (address) => {
    expect(addressProblem(address, lenient)).toBeUndefined()
  },
)
