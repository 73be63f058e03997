import { type Platform, Platforms } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { writingHint } from '../../../../plugins/messaging/gateway/writing-hint.ts'
import { pluginNames } from '../../../support/repository.ts'
import { stage } from './stage.ts'

test('the model is told how to write for the platform that it is reached through', async () => {
  const { fake, gateway, kernel, model } = await stage(['hi'], { platform: { limits: { maxTextLength: 160 } } })
  const platform = kernel.all(Platforms).get('fake') as { hint?: string }
  platform.hint = 'Answers are sung: rhyme.'
  await fake.say('ada', 'hello')
  await gateway.idle()
  const system = model.requests[0]?.messages.find(({ role }) => role === 'system')?.text
  expect(system).toMatch(/You are reached through .*, in a private chat\. Answers are sung: rhyme\./)
  expect(system).toContain('A message holds 160 characters')
  expect(system).not.toContain('keep them short')
})

test('what is not said by a hint follows from the limits', () => {
  const limits = { maxTextLength: 100, idempotency: 'none' } as const
  expect(writingHint({ limits })).toBe(
    'Answers are shown as chat messages: keep them short. Only plain text is shown: do not use Markdown. ' +
      'A message holds 100 characters; a longer answer is split. It takes no files.',
  )
  const markup = { bold: ['*', '*'], fence: (code: string) => code } as const
  const rich = writingHint({ hint: 'Be brief.', limits: { ...limits, measure: 'bytes', files: 1000, markup } })
  expect(rich).toBe(
    'Be brief. Of Markdown it shows lists, bold, code blocks; a table becomes a code block or a list, so keep it narrow. ' +
      'A message holds 100 bytes; a longer answer is split.',
  )
})

const names = pluginNames().filter((name) => name.startsWith('platform-') || name === 'webhook')
await using kernel = await testKernel({ plugins: names })
const platforms: readonly Platform[] = kernel.all(Platforms).all()

test('every built-in platform is there', () => {
  expect(platforms.length).toBeGreaterThanOrEqual(14)
})

test.each(platforms.map((platform) => [platform.name, platform] as const))('the hint of %s is short', (_, platform) => {
  const text = writingHint(platform)
  expect(text.length).toBeLessThan(400)
  expect(text).not.toMatch(/undefined|\.\.|\s\s/)
})

test.each(['sms', 'email', 'irc', 'ntfy', 'homeassistant', 'webhook'])(
  '%s is no ordinary chat, and says so',
  (name) => {
    expect(platforms.find((platform) => platform.name === name)?.hint).toMatch(
      /^(The a|A)nswers? (is|are) .*: write .*\.$/,
    )
  },
)
