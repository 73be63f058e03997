/** `/connect`, where a person signs in. */
import { type ChoiceDialog, Conversations } from 'svc/sdk'
import { Credentials } from 'svc/sdk/provider'
import type { FrontEndHandlers } from 'svc/sdk/sessions'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findSecrets, OAuthService, sleepless } from '../../../support/oauth-service.ts'

/** A person who chooses by the id of an item, and pastes what `paste` makes of the address that was shown. */
async function open({
  choices,
  polls = ['approved'],
  paste,
}: {
  choices: string[]
  polls?: string[]
  paste?: (code: string) => string
}) {
  const clock = sleepless(virtualClock())
  const services = ['https://platform.claude.com/v1/oauth/token', 'https://auth.x.ai/oauth2/token'].map(
    (tokenUrl) => new OAuthService({ clock, tokenUrl, deviceUrl: 'https://auth.x.ai/oauth2/device/code' }),
  )
  const [claude, xai] = services as [OAuthService, OAuthService]
  xai.polls = polls
  const kernel = await testKernel({
    plugins: ['model-cli', 'conversation', 'auth-pkce', 'auth-device-code'],
    clock,
    net: { request: (each) => (each.url.includes('claude') ? claude : xai).net.request(each) },
  })
  onTestFinished(() => kernel.stop())
  const said: string[] = []
  const menus: (readonly string[])[] = []
  const front: FrontEndHandlers = {
    surface: 'cli',
    commands: 'cli',
    waits: true,
    show: () => {},
    say: ({ text }) => void said.push(text),
    changed: () => {},
    choose: ({ items }: ChoiceDialog, signal) => {
      menus.push(items.map(({ id }) => id))
      if (items[0]?.id !== 'cancel') return Promise.resolve(choices.shift())
      if (choices[0] === 'cancel') return Promise.resolve(choices.shift())
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
    },
    ask: async ({ text }) => {
      if (!text.startsWith('Code')) return 'a-model'
      const { code, state } = claude.authorize(/<(https:[^>]+)>/.exec(said.at(-1) ?? '')?.[1] ?? '')
      return paste ? paste(code) : `${code}#${state}`
    },
  }
  const conversation = kernel.use(Conversations).start(front, { cwd: kernel.home })
  return { type: (line: string) => conversation.type(line), said, menus, keys: () => kernel.use(Credentials).list() }
}

test('a provider with keys and sign-ins offers both, and a pasted code signs in', async () => {
  const { type, said, menus, keys } = await open({ choices: ['anthropic:oauth'] })
  await type('/connect anthropic')
  expect(menus[0]).toEqual(['key', 'anthropic:oauth', 'anthropic:claude-code'])
  expect(said[0]).toMatch(/^Open this address in a browser: <https:\/\/claude\.ai\/oauth\/authorize\?/)
  expect(await keys()).toMatchObject([{ provider: 'anthropic', source: 'anthropic:oauth', isRenewed: true }])
  expect(findSecrets(said.join('\n'))).toEqual([])
})

test('a code at another device signs in, and its menu closes by itself', async () => {
  const { type, said, menus, keys } = await open({
    choices: ['xai-oauth:device-code'],
    polls: ['authorization_pending', 'approved'],
  })
  await type('/connect xai-oauth')
  expect(menus).toEqual([['xai-oauth:oauth', 'xai-oauth:device-code'], ['cancel']])
  expect(said[0]).toBe(
    'Open <https://service.example/device?user_code=WDJB-MJHT> in a browser and enter the code `WDJB-MJHT`',
  )
  expect(await keys()).toMatchObject([{ source: 'xai-oauth:device-code' }])
})

test('a person who cancels, and a code of another attempt, keep nothing', async () => {
  const left = await open({ choices: ['xai-oauth:device-code', 'cancel'], polls: ['authorization_pending'] })
  await left.type('/connect xai-oauth')
  expect(await left.keys()).toEqual([])
  const wrong = await open({ choices: ['anthropic:oauth'], paste: (code) => `${code}#of-another` })
  await wrong.type('/connect anthropic')
  expect(wrong.said.at(-1)).toMatch(/^The sign-in to Anthropic did not work: That belongs to another sign-in/)
  expect(await wrong.keys()).toEqual([])
})
