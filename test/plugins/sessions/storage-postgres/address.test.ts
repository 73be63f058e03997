import { expect, test } from 'vitest'
import { parseAddress } from '../../../../plugins/sessions/storage-postgres/address.ts'

test('an address says everything about a server; encryption is verified unless the server is on this machine', () => {
  expect(parseAddress('postgres://me:p%40ss@db.example.org/tables')).toEqual({
    host: 'db.example.org',
    port: 5432,
    database: 'tables',
    user: 'me',
    password: 'p@ss',
    mode: 'verify-full',
  })
  for (const host of ['localhost', '127.0.0.9', '[::1]'])
    expect(parseAddress(`postgresql://me@${host}:5433/t`)).toMatchObject({ port: 5433, mode: 'disable' })
  const files = 'sslmode=verify-ca&sslrootcert=/a.pem&sslcert=/b.pem&sslkey=/c.pem'
  expect(parseAddress(`postgres://me@db.example.org/t?${files}`)).toMatchObject({
    mode: 'verify-ca',
    rootFile: '/a.pem',
    certFile: '/b.pem',
    keyFile: '/c.pem',
  })
})

test.for([
  ['postgres://', 'no database'],
  ['postgres://me:hush@db', 'no database'],
  ['postgres://db/t', 'no user'],
  ['postgres://me:hush@db/t?sslmode=prefer', 'sslmode is not one of'],
  ['postgres://me:hush@db/t?password=hush', 'the option "password"'],
  ['postgres://me:hush%@db/t', 'percent sign'],
  ['postgres://me:hush@db:port/t', 'cannot be read'],
] as const)('%s is refused, and the message has no password', ([url, reason]) => {
  const refused = () => parseAddress(url)
  expect(refused).toThrow(expect.objectContaining({ code: 'STORAGE_URL_INVALID' }))
  expect(refused).toThrow(reason)
  expect(refused).not.toThrow('hush')
})
