/** The stand-in of a platform, as its plugin contributes it. */
import assert from 'node:assert/strict'
import { Gateway } from '../gateway.ts'
import { type StandInService, StandIns } from '../stand-ins.ts'
import { testKernel } from './kernel.ts'

/**
 * Opens the stand-in that a plugin contributes for the platform. `dirs`: folders of plugins that are not built in. Rejects when none
 * contributes it. It stays open until it is closed.
 * @since 0.2
 */
export async function openStandIn(platform: string, dirs: readonly string[] = []): Promise<StandInService> {
  const reader = { name: 'stand-in-reader', requires: [Gateway.id], setup: () => undefined }
  await using kernel = await testKernel({ with: [reader], dirs })
  const found = kernel.all(StandIns)
  const names = found.all().map(({ name }) => name)
  const problems = kernel.problems().map(({ plugin, message }) => `${plugin}: ${message}`)
  const standIn = found.get(platform)
  assert.ok(standIn, [`no plugin has a stand-in for ${platform}, only for ${names.join(', ')}`, ...problems].join('\n'))
  // Its code is in the home of the kernel, which is removed.
  return await standIn.open()
}
