/** Guessing: how many attempts an address and a person have, and that every pause ends. */
import { expect, test } from 'vitest'
import { Attempts } from '../../../../plugins/dashboard/dashboard-login/attempts.ts'
import { hashPassword, isPassword } from '../../../../plugins/dashboard/dashboard-login/password.ts'
import { realRandom } from '../../../../program/ports.ts'
import { openLogin, PASSWORD } from './stage.ts'

const MINUTE = 60_000

test('behind five wrong passwords a person waits, the right one included; the wait grows, ends, and is forgotten', () => {
  let now = 0
  const attempts = new Attempts(() => now)
  const from = (network: number) => `10.0.${network}.1`
  for (let each = 0; each < 4; each++) expect(attempts.begin(from(each), 'anna')).toBe(0)
  expect(attempts.begin(from(5), 'anna')).toBe(0)
  expect(attempts.begin(from(6), 'anna')).toBe(30_000)
  expect(attempts.begin(from(6), 'otto')).toBe(0)
  now += 30_000
  expect(attempts.begin(from(7), 'anna')).toBe(0)
  expect(attempts.begin(from(8), 'anna')).toBe(MINUTE)
  for (let each = 0; each < 20; each++) {
    now += 15 * MINUTE
    expect(attempts.begin(from(9 + each), 'anna')).toBe(0)
    expect(attempts.begin(from(9 + each), 'anna')).toBeLessThanOrEqual(15 * MINUTE)
  }
  now += 15 * MINUTE
  expect(attempts.begin(from(90), 'anna')).toBe(0)
  attempts.succeed(from(90), 'anna')
  for (let each = 0; each < 4; each++) expect(attempts.begin(from(100 + each), 'anna')).toBe(0)
  now += 61 * MINUTE
  for (let each = 0; each < 5; each++) expect(attempts.begin(from(110 + each), 'anna')).toBe(0)
})

test('an address has ten attempts a minute, whatever names it tries; a network of IPv6 counts as one', () => {
  let now = 0
  const attempts = new Attempts(() => now)
  for (let each = 0; each < 10; each++) expect(attempts.begin('10.0.0.1', `name-${each}`)).toBe(0)
  expect(attempts.begin('10.0.0.1', 'name-11')).toBe(MINUTE)
  expect(attempts.begin('10.0.0.2', 'name-11')).toBe(0)
  now += MINUTE
  expect(attempts.begin('10.0.0.1', 'name-11')).toBe(0)
  for (let each = 0; each < 10; each++) expect(attempts.begin(`2001:db8:0:1::${each}`, `v6-${each}`)).toBe(0)
  expect(attempts.begin('2001:db8:0:1:ffff::1', 'v6-11')).toBe(MINUTE)
  expect(attempts.begin('2001:db8:0:2::1', 'v6-11')).toBe(0)
  expect(attempts.begin('::1', 'v6-12')).toBe(0)
})

test('guesses at the same time are counted before they are checked, and made-up addresses change nothing', async () => {
  const { browser, clock, audit } = await openLogin()
  const guess = (word: string) => browser().login('admin', word, { 'x-forwarded-for': `198.51.100.${word.length}` })
  const replies = await Promise.all(Array.from({ length: 8 }, (_, each) => guess(`wrong horse ${'x'.repeat(each)}`)))
  expect(replies.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  const locked = await browser().login('admin')
  expect(locked.status).toBe(429)
  expect(locked.json).toEqual({ detail: 'Too many logins failed. Try again in 30 seconds.', code: 'login_locked' })
  expect(locked.headers.get('retry-after')).toBe('30')
  expect(audit().filter(({ message }) => message === 'login_failure')).toHaveLength(5)
  await clock.advance(30_000)
  expect((await browser().login('admin')).status).toBe(200)
})

test('who does not exist is refused as who types a wrong password', async () => {
  const { browser } = await openLogin()
  const [unknown, wrong] = [
    await browser().login('unknown-user'),
    await browser().login('admin', 'wrong horse battery'),
  ]
  expect([unknown.status, unknown.json]).toEqual([wrong.status, wrong.json])
  for (const name of ['__proto__', 'constructor', 'admin ', 'ADMIN'])
    expect([name, (await browser().login(name)).status]).toEqual([name, 401])
})

test('a stored password has its own salt, knows its cost, and is the same in another spelling of its letters', async () => {
  const [one, other] = await Promise.all([hashPassword(PASSWORD, realRandom), hashPassword(PASSWORD, realRandom)])
  expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toBe(other)
  expect(await isPassword(PASSWORD, one)).toBe(true)
  expect(await isPassword(`${PASSWORD} `, one)).toBe(false)
  expect(await isPassword(PASSWORD, undefined)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
  const cheap = 'scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA$'
  expect(await isPassword(PASSWORD, cheap)).toBe(false)
  expect(await isPassword('cafe\u0301 am Morgen', await hashPassword('café am Morgen', realRandom))).toBe(true)
  await expect(hashPassword('eleven char', realRandom)).rejects.toMatchObject({ code: 'LOGIN_PASSWORD_WEAK' })
})
