/** Stories of people who are let in with a code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type PluginContext, Random } from 'svc/sdk'
import { type PairingRequest, PairingRequested } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { hashCode, isCode, newCode } from '../../../../plugins/safety/access/pairing-code.ts'
import { house, MESSAGE, person, street } from './houses.ts'

const HOUR = 3_600_000

test('a stranger is given a code, the owner types it, and from then on the stranger is none', async () => {
  await using here = await street([house('chat')])
  const { access, kernel } = here
  const ada = person('chat', '42')
  expect(access.judge(ada, MESSAGE)).toMatchObject({ allow: false, reply: 'pair' })
  const asked = access.requestPairing(ada, 'Ada')
  expect(asked?.code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
  const listed = await kernel.run(['pairing', 'list'])
  expect(listed.out).toContain('chat 42 (calls themselves Ada), until 2026-01-01 01:00 UTC')
  expect(listed.out).not.toContain(asked?.code)
  const typed = `${asked?.code.slice(0, 4)}-${asked?.code.slice(4)}`.toLowerCase()
  const approved = await kernel.run(['pairing', 'approve', 'chat', typed, '--json'])
  expect(JSON.parse(approved.out)).toEqual({
    platform: 'chat',
    userId: '42',
    userName: 'Ada',
    at: here.clock.now(),
  })
  expect(access.judge(ada, MESSAGE)).toEqual({ allow: true, role: 'user', rule: 'paired with a code' })
  expect(access.judge({ ...ada, chatId: '-1', chatKind: 'group' }, MESSAGE).allow).toBe(true)
  expect(access.judge(person('mail', '42'), MESSAGE).allow).toBe(false)
  expect(access.requestPairing(ada)).toBeUndefined()
  expect((await kernel.run(['pairing', 'revoke', 'chat', '42'])).out).toBe('Sent away: chat 42.\n')
  expect(access.judge(ada, MESSAGE).allow).toBe(false)
  expect(await kernel.run(['pairing', 'revoke', 'chat', '42'])).toMatchObject({ code: 1 })
})

test('plugins are told of a stranger who asks to be let in, once for each code, and never the code', async () => {
  const told: PairingRequest[] = []
  const porter = {
    name: 'porter',
    setup: (ctx: PluginContext<undefined>) => void ctx.on(PairingRequested, (request) => void told.push(request)),
  }
  await using here = await street([house('chat')], { with: [porter] })
  const asked = here.access.requestPairing(person('chat', '42'), 'Ada')
  await expect
    .poll(() => told)
    .toEqual([{ platform: 'chat', userId: '42', userName: 'Ada', at: here.clock.now(), expiresAt: asked?.expiresAt }])
  expect(JSON.stringify(told)).not.toContain(asked?.code)
})

test('another process lets someone in while the gateway runs, and the gateway knows at once', async () => {
  await using here = await street([house('chat')])
  const asked = here.access.requestPairing(person('chat', '42'))
  await using shell = await street([], { home: here.kernel.home })
  expect((await shell.kernel.run(['pairing', 'approve', 'chat', asked?.code ?? ''])).out).toBe('Let in: chat 42.\n')
  expect(here.access.judge(person('chat', '42'), MESSAGE).allow).toBe(true)
})

test('who was let in is known after a restart, and so is who waits', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  const { home } = kernel
  let code = ''
  {
    await using before = await street([house('chat')], { home })
    before.access.approve('chat', before.access.requestPairing(person('chat', '1'))?.code ?? '')
    code = before.access.requestPairing(person('chat', '2'))?.code ?? ''
  }
  await using after = await street([house('chat')], { home })
  expect(after.access.pairings()).toMatchObject([{ platform: 'chat', userId: '1' }])
  expect(after.access.approve('chat', code)).toMatchObject({ userId: '2' })
  await kernel.stop()
})

test('a code is good for an hour and for one person once', async () => {
  await using here = await street([house('chat')])
  const { access, clock } = here
  const first = access.requestPairing(person('chat', '1'))
  const late = access.requestPairing(person('chat', '2'))
  expect(access.approve('chat', first?.code ?? '').userId).toBe('1')
  expect(() => access.approve('chat', first?.code ?? '')).toThrow(/No open request of chat has this code/)
  await clock.advance(HOUR)
  expect(access.requests()).toEqual([])
  expect(() => access.approve('chat', late?.code ?? '')).toThrow(/No open request/)
})

test('a code of one platform does not open another', async () => {
  await using here = await street([house('chat'), house('mail')])
  const code = here.access.requestPairing(person('chat', '1'))?.code ?? ''
  expect(() => here.access.approve('mail', code)).toThrow(/No open request of mail/)
  expect(here.access.approve('chat', code).platform).toBe('chat')
})

test('one person is given one code in ten minutes, and the newest is the one that counts', async () => {
  await using here = await street([house('chat')])
  const { access, clock } = here
  const old = access.requestPairing(person('chat', '1'))
  expect(access.requestPairing(person('chat', '1'))).toBeUndefined()
  await clock.advance(600_000)
  const newer = access.requestPairing(person('chat', '1'))
  expect(access.requests()).toHaveLength(1)
  expect(() => access.approve('chat', old?.code ?? '')).toThrow(/No open request/)
  expect(access.approve('chat', newer?.code ?? '').userId).toBe('1')
})

test('strangers cannot keep the owner from a code: the oldest of a hundred gives way', async () => {
  await using here = await street([house('chat'), house('mail')])
  const { access, kernel } = here
  const ask = (platform: string, userId: string) => access.requestPairing(person(platform, userId)) !== undefined
  const first = access.requestPairing(person('chat', 'first'))?.code ?? ''
  for (let at = 0; at < 99; at++) expect(ask('chat', `stranger-${at}`)).toBe(true)
  const owner = access.requestPairing(person('chat', 'owner'))?.code ?? ''
  expect(owner).toMatch(/^[A-Z2-9]{8}$/)
  for (let at = 0; at < 98; at++) expect(ask('chat', `late-${at}`)).toBe(true)
  expect(() => access.approve('chat', first)).toThrow('4 more tries are left')
  expect(access.approve('chat', owner)).toMatchObject({ userId: 'owner' })
  expect(ask('mail', '1')).toBe(true)
  expect((await kernel.run(['pairing', 'clear', 'chat'])).out).toBe('99 codes were withdrawn.\n')
  expect([ask('chat', 'late-1'), ask('chat', 'new')]).toEqual([false, true])
  expect((await kernel.run(['pairing', 'clear', '--json'])).out).toBe('{"cleared":2}\n')
})

test('five wrong codes lock the platform for an hour: the right one is refused, and no new one is given', async () => {
  await using here = await street([house('chat'), house('mail')])
  const { access, clock } = here
  const right = access.requestPairing(person('chat', '1'))?.code ?? ''
  for (const left of [4, 3, 2]) expect(() => access.approve('chat', 'AAAAAAAA')).toThrow(`${left} more tries are left`)
  expect(() => access.approve('chat', 'AAAAAAAA')).toThrow('One more try is left')
  expect(() => access.approve('chat', 'AAAAAAAA')).toThrow(
    'Too many wrong codes were typed for chat. Codes are taken again from 2026-01-01 01:00 UTC on.',
  )
  expect(() => access.approve('chat', right)).toThrow(/Too many wrong codes/)
  expect(access.requestPairing(person('chat', '2'))).toBeUndefined()
  expect(access.requestPairing(person('mail', '2'))).toBeDefined()
  await clock.advance(HOUR)
  const again = access.requestPairing(person('chat', '1'))?.code ?? ''
  expect(() => access.approve('chat', 'AAAAAAAA')).toThrow('4 more tries are left')
  expect(access.approve('chat', again).userId).toBe('1')
})

test('mistakes are forgotten after an hour without one, and after a right code', async () => {
  await using here = await street([house('chat')])
  const { access, clock } = here
  const wrong = () => expect(() => access.approve('chat', 'AAAAAAAA'))
  for (const left of [4, 3, 2]) wrong().toThrow(`${left} more tries`)
  access.approve('chat', access.requestPairing(person('chat', '1'))?.code ?? '')
  wrong().toThrow('4 more tries')
  await clock.advance(HOUR)
  wrong().toThrow('4 more tries')
})

test('anyone who is not offered to pair gets no code, however the question is put', async () => {
  const houses = [
    house('listed', { allow_from: ['42'] }),
    house('chat'),
    house('silent', {}, { isSilent: true }),
    house('hooks', {}, { isEvents: true }),
    house('shut', { dm_policy: 'disabled' }),
  ]
  await using here = await street(houses)
  const asked = [
    person('listed', '7'),
    person('chat', '7', { chatKind: 'group' }),
    person('chat', '7', { isBot: true }),
    person('chat', ''),
    person('silent', '7'),
    person('hooks', '7'),
    person('shut', '7'),
    person('unknown', '7'),
  ].map((sender) => here.access.requestPairing(sender))
  expect(asked.filter((each) => each !== undefined)).toEqual([])
})

test('names of strangers cannot steer the terminal they are listed on', async () => {
  await using here = await street([house('chat')])
  here.access.requestPairing(person('chat', 'a\u001b[2J'), `\u001b]0;owned\u0007Ada\u202egnp${'x'.repeat(500)}`)
  const { out } = await here.kernel.run(['pairing'])
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(out.length).toBeLessThan(400)
})

test('a code is kept as a salted hash only: the file does not have it', async () => {
  const storage = await testKernel({ plugins: ['storage'] })
  const { home } = storage
  let code = ''
  {
    await using here = await street([house('chat')], { home })
    code = here.access.requestPairing(person('chat', '1'))?.code ?? ''
    await using other = await street([], { home })
    const { requests } = JSON.parse((await other.kernel.run(['pairing', 'list', '--json'])).out)
    expect(Object.keys(requests[0]).sort()).toEqual(['at', 'expiresAt', 'platform', 'userId'])
  }
  await using after = await street([house('chat')], { home })
  expect(after.access.requests()).toHaveLength(1)
  const file = (await filesNamed(home, 'access.db')).map((each) => readFileSync(each, 'latin1')).join('')
  expect(file).toContain('requests')
  expect(file).not.toContain(code)
  await storage.stop()
})

async function filesNamed(folder: string, beginning: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises')
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all.flatMap((each) =>
    each.isFile() && each.name.startsWith(beginning) ? [join(each.parentPath, each.name)] : [],
  )
}

test('codes use all 32 symbols and none that look alike, and each only fits its own hash', async () => {
  await using kernel = await testKernel()
  const random = kernel.use(Random)
  const codes = Array.from({ length: 300 }, () => newCode(random))
  expect(new Set(codes).size).toBe(300)
  expect([...new Set(codes.join(''))].sort().join('')).toBe('23456789ABCDEFGHJKLMNPQRSTUVWXYZ')
  fc.assert(
    fc.property(fc.nat(299), fc.nat(299), (one, other) => {
      const kept = hashCode(codes[one] ?? '', random)
      expect(isCode(codes[other] ?? '', kept)).toBe(one === other)
      expect(isCode((codes[one] ?? '').slice(0, 7), kept)).toBe(false)
    }),
  )
})

test('the shell command says how it is used', async () => {
  await using here = await street([])
  const { kernel } = here
  expect((await kernel.run(['pairing'])).out).toBe('No person is paired with a code.\nNo pairing request is waiting.\n')
  const help = await kernel.run(['pairing', '--help'])
  expect(help.out).toContain('svc pairing approve telegram K7QW2M9X')
  expect((await kernel.run(['pairing', 'approve', 'chat', 'AAAAAAAA'])).err).toContain('No open request of chat')
})
