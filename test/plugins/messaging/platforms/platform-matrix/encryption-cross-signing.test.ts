/** The device of the agent is signed with the keys of its account, and only signed devices count where that is wanted. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { storeSecrets } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/secret-storage.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const { connected } = createStages('matrix', () => openStandIn({ isEncrypted: true }))
const SELF = '@svc:example.org'
const LOGIN = { MATRIX_ACCESS_TOKEN: undefined, MATRIX_USER_ID: SELF, MATRIX_PASSWORD: 'correct horse' }
const STRICT = { encryption: 'optional', encryption_devices: 'cross_signed' }
const readLog = (home: string) => {
  const file = join(home, 'logs', 'svc.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
type Fake = Awaited<ReturnType<typeof openStandIn>>

/** Whether a person sees a device of the agent as signed by its account. */
async function isSigned(fake: Fake, deviceId: string) {
  const ada = await fake.people.device('@ada:example.org')
  return ada.sees(SELF, deviceId)
}

test('an account without cross-signing keys gets some, once, and others see its device as signed', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const first = await connected({ fake, home, cursors })
  expect(await isSigned(fake, 'SVCDEVICE')).toBe(true)
  await first.close()
  await connected({ fake, home, cursors })
  expect(fake.asked('client/keys/device_signing/upload')).toBe(1)
  await fake.close()
})

test('a homeserver that wants the password gets it, and without one the log says what to set', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  fake.keys.wantsPassword = true
  const { kernel, platform } = await connected({ fake })
  await vi.waitFor(() => expect(readLog(kernel.home)).toContain('set MATRIX_USER_ID and MATRIX_PASSWORD'), 10_000)
  expect(await isSigned(fake, 'SVCDEVICE')).toBe(false)
  await platform.send({ chatId: fake.member().chatId, text: 'works', key: '1' })
  const other = await connected({ fake, env: LOGIN })
  const [, device = ''] = fake.keys.devices(SELF)
  expect(await isSigned(fake, device)).toBe(true)
  expect(readLog(other.kernel.home)).not.toContain('correct horse')
  await fake.close()
})

test('keys that another client made are read with the recovery key, and are never replaced', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const element = await fake.people.add(SELF)
  await element.crossSign()
  const { recoveryKey, accountData } = await element.storeSecrets()
  for (const [type, content] of accountData) fake.accountData.set(type, content)
  const without = await connected({ fake })
  await vi.waitFor(() => expect(readLog(without.kernel.home)).toContain('set MATRIX_RECOVERY_KEY'), 10_000)
  await without.close()
  const refuse = async (key: string, why: string) => {
    const wrong = await connected({ fake, env: { ...LOGIN, MATRIX_RECOVERY_KEY: key } })
    await vi.waitFor(() => expect(readLog(wrong.kernel.home)).toContain(why), 10_000)
    await wrong.close()
  }
  await refuse(recoveryKey.replace(/^..../, 'EsTz'), 'not a recovery key')
  await refuse(storeSecrets({}).recoveryKey, 'not the recovery key of this account')
  const master = accountData.get('m.cross_signing.master') ?? {}
  const spoilt = JSON.stringify(master).replace(
    /"ciphertext":"(.)/,
    (all, first) => `${all.slice(0, -1)}${first === 'A' ? 'B' : 'A'}`,
  )
  fake.accountData.set('m.cross_signing.master', JSON.parse(spoilt))
  await refuse(recoveryKey, 'm.cross_signing.master of the account was changed')
  fake.accountData.set('m.cross_signing.master', master)
  await connected({ fake, env: { ...LOGIN, MATRIX_RECOVERY_KEY: recoveryKey } })
  const device = fake.keys.devices(SELF).at(-1) ?? ''
  expect(await isSigned(fake, device)).toBe(true)
  expect(fake.asked('client/keys/device_signing/upload')).toBe(0)
  await fake.close()
})

test('where only signed devices count, an unsigned one gets no key and is not read until its owner signs it', async () => {
  const { fake, platform, ear, kernel } = await connected({ config: STRICT })
  const ada = fake.member()
  const phone = await fake.people.device(ada.userId)
  await ada.say('unsigned')
  await vi.waitFor(() => expect(readLog(kernel.home)).toContain('"failure":"untrusted"'), 10_000)
  await platform.send({ chatId: ada.chatId, text: 'hidden', key: '1' })
  expect(await phone.decrypt(fake.sentEvents().at(-1) ?? {}, ada.chatId)).toBeUndefined()
  await phone.crossSign()
  await vi.waitFor(async () => {
    await platform.send({ chatId: ada.chatId, text: 'shown', key: String(fake.sentEvents().length) })
    expect(await phone.decrypt(fake.sentEvents().at(-1) ?? {}, ada.chatId)).toMatchObject({ body: 'shown' })
  }, 10_000)
  await ada.say('signed')
  await vi.waitFor(() => expect(ear.texts).toEqual(['signed']), 10_000)
})

test('where only signed devices count, svc sends nothing while it is not signed', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  fake.keys.wantsPassword = true
  const { platform } = await connected({ fake, config: STRICT })
  const sent = platform.send({ chatId: fake.member().chatId, text: 'x', key: '1' })
  await expect(sent).rejects.toMatchObject({ code: 'MATRIX_NOT_VERIFIED' })
  expect(fake.sentTypes()).toEqual([])
  await fake.close()
})
