/** Stories of people who set up a chat platform with a phone in the hand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InlinePlugin, Plugins } from 'svc/sdk/host'
import { Setup, SetupSections } from 'svc/sdk/operations'
import { Access } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn as openSignal } from '../../../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { openStandIn } from '../../../support/stand-ins.ts'

const plugins = ['guided-setup', 'gateway-cli', 'platform-telegram', 'platform-signal', 'access']
const LINK = /^sgnl:\/\/linkdevice\?uuid=[\w-]+&pub_key=[\w%]+$/

async function open(name: 'telegram' | 'signal') {
  const service = name === 'signal' ? await openSignal() : await openStandIn(name)
  onTestFinished(() => service.close())
  const kernel = await testKernel({ plugins, config: { platforms: { [name]: service.config } } })
  onTestFinished(() => kernel.stop())
  const env = () => readFileSync(join(kernel.home, '.env'), 'utf8')
  const setUp = (...answers: string[]) =>
    kernel.run(['setup', 'platforms'], { interactive: true, answers: [name, ...answers, ...Array(12).fill('')] })
  return { service, kernel, env, setUp }
}

async function openPhone() {
  const service = await openSignal()
  onTestFinished(() => service.close())
  const kernel = await testKernel({ plugins, config: { platforms: { signal: service.config } } })
  onTestFinished(() => kernel.stop())
  return { service, kernel, setup: kernel.use(Setup) }
}

test('a platform whose service knows the account shows its contact, and how the first person is let in', async () => {
  const { service, kernel, env, setUp } = await open('telegram')
  const said = await setUp(service.env['TELEGRAM_BOT_TOKEN'] ?? '')
  expect(said).toMatchObject({ code: 0 })
  const [, after = ''] = said.out.split(/Written\.[^\n]*\n/)
  expect(after.split('\n')).toEqual([
    'Telegram is set up. A phone reaches the agent at:',
    'https://t.me/svc_test_bot',
    'It is connected by the gateway: svc gateway start',
    'Write to it there: it answers with a code. Let yourself in: svc pairing approve telegram <code>',
    '',
  ])
  expect(env()).toContain('TELEGRAM_BOT_TOKEN=')
  const access = await kernel.use(Plugins).bring(Access)
  expect(access?.judge({ platform: 'telegram', chatId: '1', userId: '1' }, { kind: 'message' }).reply).toBe('pair')
})

test('what the service refuses is told at once, with how to correct it', async () => {
  const { setUp } = await open('telegram')
  const said = await setUp('123456:AAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
  expect(said.out).toMatch(/Telegram cannot be used yet: .*token.* Correct it: svc setup platforms\n$/is)
  expect(said.out).not.toContain('https://t.me')
})

test('where people are named, or everybody may write, no code is spoken of', async () => {
  const { service, kernel } = await open('telegram')
  const token = `TELEGRAM_BOT_TOKEN=${service.env['TELEGRAM_BOT_TOKEN']}`
  const quiet = [
    'setup',
    'platforms',
    '--non-interactive',
    '--json',
    '--answer',
    'platform=telegram',
    '--answer',
    token,
  ]
  const notes = async (...more: string[]) => JSON.parse((await kernel.run([...quiet, ...more])).out).notes
  const all = await notes('--answer', 'TELEGRAM_ALLOW_ALL_USERS=true')
  expect(all[0]).toEqual({
    text: 'Telegram is set up. A phone reaches the agent at:',
    address: 'https://t.me/svc_test_bot',
  })
  expect(all.at(-1).text).toContain('Everybody on Telegram may write to it.')
  const named = await notes('--answer', 'TELEGRAM_ALLOW_ALL_USERS=', '--answer', 'TELEGRAM_ALLOWED_USERS=42')
  expect(named.at(-1).text).toContain('Only people who are named may write to it')
  expect(JSON.parse((await kernel.run(['setup', 'platforms', '--non-interactive', '--json'])).out).notes).toEqual([])
})

test('a phone that scans the code is the answer to the question, and its account is written', async () => {
  const { service, kernel, setup } = await openPhone()
  const { signal } = new AbortController()
  const given = { platform: 'signal', SIGNAL_HTTP_URL: '' }
  expect(await setup.next('platforms', given, signal)).toMatchObject({ key: 'link', kind: 'confirm', current: true })
  expect(await setup.next('platforms', { ...given, link: false }, signal)).toMatchObject({
    key: 'SIGNAL_ACCOUNT',
    kind: 'text',
  })
  const asked = { ...given, link: true }
  expect(await setup.next('platforms', asked, signal)).toMatchObject({ key: 'SIGNAL_ACCOUNT', kind: 'scan' })
  const scan = await setup.scan('platforms', asked, 'SIGNAL_ACCOUNT', signal)
  expect(scan.address).toMatch(LINK)
  expect(scan.instructions).toContain('Linked devices')
  await expect.poll(() => service.isLinking).toBe(true)
  service.scan(scan.address)
  expect(await scan.answer).toBe('+15550100')
  const rest = Object.fromEntries(
    ['ALLOWED_USERS', 'GROUP_ALLOWED_USERS', 'ALLOW_ALL_USERS', 'HOME_CHANNEL'].map((name) => [`SIGNAL_${name}`, '']),
  )
  const answers = { ...asked, SIGNAL_ACCOUNT: await scan.answer, ...rest }
  await setup.write('platforms', answers, signal)
  expect(readFileSync(join(kernel.home, '.env'), 'utf8')).toContain('SIGNAL_ACCOUNT=+15550100')
  const [reached] = await setup.conclude('platforms', answers, signal)
  expect(reached?.address).toBe('https://signal.me/#p/+15550100')
})

test('a code that expires, a daemon with one account, and one that is not there are told, and nothing waits on', async () => {
  const { service, setup } = await openPhone()
  const { signal } = new AbortController()
  const asked = { platform: 'signal', SIGNAL_HTTP_URL: '', link: true }
  const begin = (answers: typeof asked = asked) => setup.scan('platforms', answers, 'SIGNAL_ACCOUNT', signal)
  const late = await begin()
  const ended = late.answer.catch((error: unknown) => String(error))
  await expect.poll(() => service.isLinking).toBe(true)
  service.scan(late.address, 'expire')
  expect(await ended).toMatch(/SvcError: The phone was not linked\. .*timed out/)
  expect((await begin()).address).not.toBe(late.address)
  service.isMulti = false
  await expect(begin()).rejects.toThrow('has one account. Start it without an account')
  await expect(begin({ ...asked, SIGNAL_HTTP_URL: 'http://127.0.0.1:9' })).rejects.toThrow(
    '127.0.0.1:9 cannot be asked',
  )
  await expect(setup.scan('platforms', asked, 'platform', signal)).rejects.toMatchObject({ code: 'SETUP_SCAN' })
})

test('a person who stops waiting types the account, and the daemon waits for no phone any more', async () => {
  const { service, env, setUp } = await open('signal')
  const said = await setUp('', 'yes', '', '+15550177')
  expect(said.out).toMatch(/Scan it on the phone: Signal, Settings, Linked devices\.\nsgnl:\/\/linkdevice\?/)
  expect(said.err).toContain('Waiting for the phone. Enter stops waiting: ')
  expect(said.err).toContain('SIGNAL_ACCOUNT')
  expect(env()).toContain('SIGNAL_ACCOUNT=+15550177')
  await expect.poll(() => 'isLinking' in service && service.isLinking).toBe(false)
})

test('a section of another plugin can ask a phone, and what it fails with at its end is told', async () => {
  const watch: InlinePlugin = {
    name: 'watch',
    setup(ctx) {
      ctx.add(SetupSections, {
        ...{ name: 'watch', title: 'Watch', description: 'Yours.' },
        questions: async () => [{ key: 'serial', title: 'Serial', kind: 'scan', path: 'timezone' }],
        scan: async () => ({
          address: 'watch:1',
          instructions: 'On the watch.',
          answer: Promise.resolve('Asia/Tokyo'),
        }),
        conclude: async () => Promise.reject(new Error('It lies in a drawer.')),
      })
    },
  }
  await using kernel = await testKernel({ plugins: ['guided-setup'], with: [watch] })
  const said = await kernel.run(['setup', 'watch'], { interactive: true, answers: [''] })
  expect(said.out).toContain('On the watch.\nwatch:1\n')
  expect(said.out).toMatch(/It lies in a drawer\.\n$/)
  expect(said.code).toBe(0)
})
