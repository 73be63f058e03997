import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DashboardPages, SharedViews } from 'svc/sdk/dashboard'
import { conformance, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import plugin from './index.ts'

test('it is what a plugin has to be', async () => {
  const report = await conformance({ dir: import.meta.dirname })
  expect(report.cases.filter(({ result }) => result !== 'ok')).toEqual([])
  expect(report.cases.map(({ name }) => name)).toContain('page cups: its files are there and are sent to browsers')
})

test('a cup that was noted is in the view, which is asked for again', async () => {
  const kernel = await testKernel({ plugins: ['conversation'], with: [{ name: 'page-plugin', ...plugin }] })
  onTestFinished(() => kernel.stop())
  const view = kernel.all(SharedViews).get('coffee')
  let changes = 0
  const stop = view?.onChange?.(() => changes++)
  expect(await fakeTalk(kernel).type('/coffee')).toBe('Cup 1.')
  expect(changes).toBe(1)
  expect(view?.blocks({})[0]).toEqual({ type: 'progress', label: '1 of 4 cups', value: 0.25 })
  await stop?.()
})

test('the page is its files, of which the module has at most 40 lines', async () => {
  const kernel = await testKernel({ with: [{ name: 'page-plugin', ...plugin }] })
  onTestFinished(() => kernel.stop())
  const { folder = '', entry = '' } = kernel.all(DashboardPages).get('cups') ?? {}
  expect(readFileSync(join(folder, entry), 'utf8').split('\n').length).toBeLessThanOrEqual(40)
})
