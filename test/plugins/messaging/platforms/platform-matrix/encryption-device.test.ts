/** The device of the agent: whose it is, what happens when its keys are lost or damaged, and what a crash in between leaves. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Backups } from 'svc/sdk/operations'
import { expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const { connected, stage } = createStages('matrix', () => openStandIn({ isEncrypted: true }))
const LOGIN = { MATRIX_ACCESS_TOKEN: undefined, MATRIX_USER_ID: '@svc:example.org', MATRIX_PASSWORD: 'correct horse' }
const SELF = '@svc:example.org'
const keysFolder = (home: string) => join(home, 'data/platform-matrix/keys')
const stateFile = (home: string) => join(keysFolder(home), readdirSync(keysFolder(home))[0] ?? '', 'state')

/** A home in which one message was sent, and its service. */
async function usedHome(env = {}) {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const first = await connected({ fake, home, cursors, env })
  const ada = fake.member()
  await first.platform.send({ chatId: ada.chatId, text: 'one', key: '1' })
  await first.close()
  return { fake, home, cursors, ada }
}

test('a device with the keys of another client is not taken over', async () => {
  const { fake } = await usedHome()
  const uploads = fake.asked('client/keys/upload')
  const { platform, ear } = await stage({ fake, home: temporaryFolder() })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_DEVICE_TAKEN', message: expect.stringContaining('MATRIX_PASSWORD') })
  expect(fake.asked('client/keys/upload')).toBe(uploads)
  await fake.close()
})

test('with a password svc logs in as a new device when its keys are gone, and writes and reads as that', async () => {
  const { fake, home, cursors, ada } = await usedHome(LOGIN)
  rmSync(keysFolder(home), { recursive: true })
  const { platform, ear } = await connected({ fake, home, cursors, env: LOGIN })
  expect(fake.keys.devices(SELF)).toHaveLength(2)
  await platform.send({ chatId: ada.chatId, text: 'two', key: '2' })
  await ada.say('three')
  await vi.waitFor(() => expect(ear.texts).toEqual(['three']), 10_000)
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['one', 'two'])
  await fake.close()
})

test('what a kill left half written is dropped, and what was changed is refused', async () => {
  const { fake, home, cursors, ada } = await usedHome()
  const file = stateFile(home)
  appendFileSync(file, '0123456789abcdef AAAA')
  const second = await connected({ fake, home, cursors })
  await second.platform.send({ chatId: ada.chatId, text: 'two', key: '2' })
  await second.close()
  expect(readFileSync(file, 'utf8')).not.toContain('0123456789abcdef AAAA')
  const bytes = readFileSync(file)
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1
  writeFileSync(file, bytes)
  const { platform, ear } = await stage({ fake, home, cursors })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_KEYS_DAMAGED', message: expect.stringContaining(file) })
  await fake.close()
})

test('a state whose key is gone is not replaced by a new one', async () => {
  const { fake, home, cursors } = await usedHome()
  rmSync(join(stateFile(home), '../key'))
  const { platform, ear } = await stage({ fake, home, cursors })
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'MATRIX_KEYS_DAMAGED' })
  expect(fake.keys.devices(SELF)).toEqual(['SVCDEVICE'])
  await fake.close()
})

test('keys whose upload was not answered are the same the next time, and are claimed once', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const ada = fake.member()
  // Net makes a request again at once if a used connection is cut; both answers are lost.
  fake.loseAnswers('keys/upload', 2)
  const { platform, ear, close } = await stage({ fake, home, cursors })
  await expect(platform.connect(ear)).rejects.toThrow()
  await close()
  const again = await connected({ fake, home, cursors })
  for (const text of ['one', 'two', 'three']) await ada.say(text)
  await vi.waitFor(() => expect(again.ear.texts).toEqual(['one', 'two', 'three']), 10_000)
  expect(new Set(fake.keys.claimed).size).toBe(fake.keys.claimed.length)
  await fake.close()
})

test.for(['keys/claim', 'sendToDevice/m.room.encrypted'])(
  'a send that loses the answer to %s is tried again, and is read once',
  async (path) => {
    const { fake, platform } = await connected()
    const { chatId, userId } = fake.member()
    await fake.people.device(userId)
    fake.loseAnswers(path, 2)
    const send = () => platform.send({ chatId, text: 'one', key: '1' })
    await expect(send()).rejects.toMatchObject({ code: 'MATRIX_FAILED' })
    await send()
    await send()
    expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['one'])
  },
)

test('keys are left out of backups', async () => {
  const { kernel } = await connected({ plugins: ['backups', 'storage'] })
  const file = join(temporaryFolder(), 'backup.tar.gz')
  await kernel.use(Backups).create({ file })
  const content = gunzipSync(readFileSync(file)).toString('latin1')
  expect(content).toContain('home/data/platform-matrix/')
  expect(content).not.toContain('platform-matrix/keys')
})
