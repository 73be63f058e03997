/** The screen of a command belongs to one plugin. */

import type { InlinePlugin } from 'svc/sdk/host'
import { type Manifest, Plugins } from 'svc/sdk/host'
import { Overlays, type OverlayView } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { plan } from '../../../../kernel/plan.ts'
import type { PluginRecord } from '../../../../kernel/plugin-record.ts'
import { pluginFolder, read } from '../../../support/repository.ts'

const view: OverlayView = { keys: '', lines: () => [], input: () => 'close' }
const opener = (name: string, command: string): InlinePlugin => ({
  name,
  setup: (ctx) => void ctx.add(Overlays, { name: `${name}-screen`, title: name, command, open: () => view }),
})

test('of two plugins with a screen for one command the second is refused, and both are named', async () => {
  await using kernel = await testKernel({ with: [opener('first', 'notes'), opener('second', 'notes')] })
  expect(
    kernel
      .all(Overlays)
      .all()
      .map(({ name }) => name),
  ).toEqual(['first-screen'])
  const [problem] = kernel.use(Plugins).problems()
  expect(problem).toMatchObject({ plugin: 'second', code: 'CONTRIBUTION_TAKEN' })
  expect(problem?.message).toContain('second adds "/notes" to screens, but first already did')
})

test('a screen for the command of a built-in screen is refused from the manifests, before code runs', () => {
  const own = JSON.parse(read(`${pluginFolder('tui-panes')}/plugin.json`)) as Manifest
  const found = (manifest: Manifest, origin: PluginRecord['origin']): PluginRecord =>
    ({ manifest, origin, dir: '/none' }) as PluginRecord
  const other: Manifest = {
    ...{ name: 'other', version: '1.0.0', sdk: '^0.1.0', kind: 'screen', description: 'Helps.' },
    ...{ contributes: { screens: ['other'] }, aliases: { screens: ['/help'] } },
  }
  const foreign = found(other, 'home')
  const wanted = { names: ['other'], enabled: new Set(['other']), consents: new Map([[foreign, undefined]]) }
  expect(plan([found(own, 'built-in'), foreign], wanted).leftOut.get('other')?.reason).toBe(
    'it adds screens "/help", as tui-panes does; to use it: svc plugins disable tui-panes',
  )
  const replaced = plan([found(own, 'built-in'), foreign], { ...wanted, disabled: new Set(['tui-panes']) })
  expect(replaced.load).toEqual([foreign])
})
