/** An address that is posted must not be fetched by the service: what stands in it would leave without a click. */
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { createStages } from '../support/platform-stage.ts'
import { pluginFolder, pluginNames, read } from '../support/repository.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'

/** Services with a switch: their stand-ins refuse a message without it. */
const switched = ['discord', 'mattermost', 'rocketchat', 'slack', 'telegram', 'whatsapp']

test('every platform has a stand-in, or is one of events', () => {
  const platforms = pluginNames().flatMap((name) => /^platform-(.*)/.exec(name)?.[1] ?? [])
  expect(platforms.sort()).toEqual(standInNames)
})

describe.for(standInNames)('%s', (name) => {
  test('says in its README what becomes of previews', () => {
    expect(read(`${pluginFolder(`platform-${name}`)}/README.md`)).toMatch(
      /previews? of (a )?link|link previews?|A preview is/i,
    )
  })

  test.runIf(switched.includes(name))('posts, and edits, links without a preview', async () => {
    const { fake, platform, ear } = await createStages(name, () => openStandIn(name)).connected()
    const { chatId, say } = fake.member()
    await say('hello')
    await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const { messageId } = await platform.send({ chatId, text: 'see https://evil.example/?c=1', key: 'one' })
    await platform.edit?.({ chatId, messageId, text: 'see https://evil.example/?c=2', isFinal: true })
    const file = outboundFile('a.txt', 'a')
    if (platform.limits.files)
      await platform.send({ chatId, text: 'and https://evil.example/?c=3', key: 'two', files: [file] })
    const seen = fake
      .deliveries()
      .map(({ raw }) => raw)
      .join(' ')
    expect(seen).toContain(platform.edit ? 'c=2' : 'c=1')
    if (platform.limits.files) expect(seen).toContain('c=3')
  })
})
