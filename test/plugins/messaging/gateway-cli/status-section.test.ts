/** The gateway in `svc status`: while it runs with platforms in several states, and after it has ended. */
import type { StatusLine } from 'svc/sdk/operations'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'

const EVENTUALLY = { timeout: 10_000, interval: 10 }

test('platforms are shown with their states, a refused one with the command that tries again; then why it ended', async () => {
  const bad = fakePlatform({ name: 'bad' })
  const kernel = await testKernel({
    plugins: ['gateway-cli', 'status-report'],
    with: [fakeProvider(() => 'Hello.').plugin, fakePlatform({ name: 'good' }).plugin, bad.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    env: { SVC_GATEWAY_NO_SUPERVISE: 'true' },
  })
  onTestFinished(() => kernel.stop())
  const lines = async (): Promise<readonly StatusLine[]> =>
    JSON.parse((await kernel.run(['status', 'gateway', '--json'])).out).sections[0].lines
  const stop = new AbortController()
  const run = kernel.run(['gateway'], { signal: stop.signal })
  await vi.waitFor(async () => expect((await lines())[0]?.state).toBe('ok'), EVENTUALLY)
  await vi.waitFor(() => expect(bad.connected).toBe(true), EVENTUALLY)
  bad.lose('The token was revoked.', { final: true })
  await vi.waitFor(async () => expect((await lines())[2]?.state).toBe('problem'), EVENTUALLY)
  expect(await lines()).toEqual([
    { label: 'Gateway', text: expect.stringMatching(/^degraded, up .*, turns under way: 0$/), state: 'warning' },
    { label: 'In-memory chat', text: 'connected', state: 'ok' },
    { label: 'In-memory chat', text: 'fatal: The token was revoked.', state: 'problem', fix: 'svc gateway resume bad' },
  ])
  stop.abort()
  await run
  expect(await lines()).toEqual([
    { label: 'Gateway', text: expect.stringMatching(/^not running: .+/), fix: 'svc gateway start' },
  ])
})
