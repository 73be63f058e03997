/** A gateway that is killed while it answers in an encrypted room: the ratchets go on, and people have each message once. */
import { type PlatformKill, platformKillSuite } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'

const kills: PlatformKill[] = []

for (const { name, run } of platformKillSuite({
  platform: 'matrix',
  standIn: () => openStandIn({ isEncrypted: true }),
  ways: ['reply'],
  every: 8,
  onKill: (kill) => void kills.push(kill),
}))
  test(`in an encrypted room ${name}`, { timeout: 600_000 }, run)

test('none of the messages is in doubt, since the homeserver knows a repeated one', () => {
  expect(kills.length).toBeGreaterThan(2)
  expect(kills.filter(({ result }) => result === 'uncertain')).toEqual([])
  expect(kills.map(({ result }) => result)).toContain('once')
})
