/** The gateway is started, restarted and stopped in a browser, and updates are looked for: real processes, a registry on loopback. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { startNpmRegistry } from '../../../support/npm-registry.ts'
import { root } from '../../../support/repository.ts'
import { describe as describePackage, packSmall, smallProgram } from '../../operations/updates/support.ts'
import { openWebStage, type WebStage } from './stage.ts'

const bin = join(root, 'dist/kernel/bin.cjs')

describe.skipIf(missingChromium())('the operations in a browser', () => {
  let stage: WebStage
  let page: Page
  let registry: Awaited<ReturnType<typeof startNpmRegistry>>
  beforeAll(async () => {
    registry = await startNpmRegistry()
    stage = await openWebStage((words) => `You said: ${words}`)
    writeFileSync(join(stage.home, '.install_method'), 'npm\n')
    page = await stage.newPage('/operations')
  })
  afterAll(async () => {
    if (stage) await svc('gateway', 'stop')
    await stage?.close()
    await registry?.close()
  })

  const svc = (...args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: stage.work, SVC_HOME: stage.home }
      execFile(process.execPath, [bin, ...args], { env, cwd: stage.work }, (error, out) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out }),
      )
    })
  const status = async () => JSON.parse((await svc('gateway', 'status', '--json')).out)
  const card = () => page.locator('.card', { has: page.getByRole('heading', { name: 'Gateway' }) })
  const confirm = async (action: string) => {
    await card().getByRole('button', { name: action }).click()
    await page.getByRole('dialog').getByRole('button', { name: action }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('a gateway that does not run is started by keyboard, and the page says so when it runs', async () => {
    await card().getByText('not running', { exact: true }).waitFor()
    await card().getByRole('button', { name: 'Start' }).focus()
    await page.keyboard.press('Enter')
    await card().getByText('Done.').waitFor()
    await card().getByRole('button', { name: 'Stop' }).waitFor()
    const { isRunning, pid, supervisor } = await status()
    expect(isRunning).toBe(true)
    expect(supervisor).toEqual(expect.any(Number))
    await card().getByText(`process ${pid}`, { exact: true }).waitFor()
    expect(await card().locator('pre').textContent()).toContain('The gateway is ')
  })

  test.for(['dark', 'light'] as const)('axe finds no barrier when the page is %s', async (colorScheme) => {
    await setScheme(page, colorScheme)
    expect(await findBarriers(page)).toEqual([])
  })

  test('its environment has nothing that opens the dashboard', async () => {
    const { pid } = await status()
    if (process.platform !== 'linux') return
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(environment).toContain('SVC_HOME=')
    expect(environment).not.toContain('SVC_DASHBOARD_SESSION_TOKEN')
  })

  test('it is restarted after a question, as another process', async () => {
    const { pid: before } = await status()
    await confirm('Restart')
    await card().getByText('The gateway restarts.').waitFor()
    await card().getByText('Done.').waitFor()
    const { pid } = await status()
    expect(pid).not.toBe(before)
    await card().getByText(`process ${pid}`, { exact: true }).waitFor()
  })

  test('a reload of the page shows the last action, and another window sees the same', async () => {
    await page.reload()
    await card().getByText('Done.').waitFor()
    expect(await card().locator('pre').textContent()).toContain('The gateway restarts.')
  })

  test('it begins no turns until that is taken back', async () => {
    await card().getByRole('button', { name: 'Begin no turns' }).click()
    await card().getByText('begins no turns', { exact: true }).waitFor()
    expect((await status()).state).toBe('draining')
    await card().getByRole('button', { name: 'Begin turns again' }).click()
    await card().getByRole('button', { name: 'Begin no turns' }).waitFor()
    expect((await status()).state).not.toBe('draining')
  })

  test('it is stopped after a question, and a question that is closed changes nothing', async () => {
    await card().getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog', { name: 'Stop the gateway' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await status()).isRunning).toBe(true)
    await confirm('Stop')
    await card().getByText('not running', { exact: true }).waitFor()
    await card().getByText('svc gateway stop').waitFor()
    expect((await status()).isRunning).toBe(false)
  })

  test('a start that fails is told with its reason, and the next one works', async () => {
    const file = join(stage.home, 'config.yaml')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, `${before}gateway:\n  drain_seconds: soon\n`)
    await card().getByRole('button', { name: 'Start' }).click()
    await card().getByRole('alert').getByText('did not start').waitFor()
    expect(await card().locator('pre').textContent()).toContain('drain_seconds')
    expect(await findBarriers(page)).toEqual([])
    writeFileSync(file, before)
    await card().getByRole('button', { name: 'Start' }).click()
    await card().getByText('Done.').waitFor()
    await card().getByRole('alert').waitFor({ state: 'detached' })
    expect((await status()).isRunning).toBe(true)
  })

  test('an update is looked for only when a person asks, and the command for it is shown', async () => {
    writeFileSync(join(stage.work, '.npmrc'), `registry=${registry.url}\nfetch-retries=0\n`)
    await page.getByText('It was not looked for an update yet.').waitFor()
    expect(registry.requests).toEqual([])
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string }
    const manifest = { ...describePackage('99.0.0'), name }
    registry.publishArchive(packSmall('99.0.0', smallProgram('99.0.0'), manifest), manifest)
    await page.getByRole('button', { name: 'Look for an update' }).click()
    await page.getByText('there is 99.0.0').waitFor()
    await page.locator('code', { hasText: 'svc update' }).waitFor()
    await page.reload()
    await page.getByText('there is 99.0.0').waitFor()
    expect(await findBarriers(page)).toEqual([])
  })

  test('a registry that does not answer is told, and what was known stays', async () => {
    writeFileSync(join(stage.work, '.npmrc'), 'registry=http://127.0.0.1:1/\nfetch-retries=0\n')
    await page.getByRole('button', { name: 'Look for an update' }).click()
    await page.getByRole('alert').getByText('npm view failed').waitFor()
    await page.getByText('there is 99.0.0').waitFor()
    writeFileSync(join(stage.home, '.install_method'), 'homebrew\n')
    await page.getByRole('button', { name: 'Look for an update' }).click()
    await page.getByText('brew upgrade svc').waitFor()
  })

  test('a gateway that serves this page is restarted from it, and the page connects to the new one', async () => {
    await stage.restart(async () => {
      const opened = await svc('dashboard', '--no-open', '--port', '0')
      const [, port] = /SVC_DASHBOARD_READY port=(\d+)/.exec(opened.out) ?? []
      expect(opened.out).toContain('The gateway')
      const { pid: before } = await status()
      const own = await stage.context.newPage()
      await own.goto(`http://127.0.0.1:${port}/operations`)
      await own.getByText('This gateway serves this page.').waitFor()
      await own.getByText(`process ${before}`, { exact: true }).waitFor()
      await own.getByRole('button', { name: 'Restart' }).click()
      await own.getByRole('dialog').getByText('It serves this page, too, which connects again.').waitFor()
      await own.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
      await expect.poll(async () => (await status()).isReady && (await status()).pid !== before).toBe(true)
      const { pid } = await status()
      await own.getByText(`process ${pid}`, { exact: true }).waitFor()
      expect(await own.locator('.card.error').count()).toBe(0)
      await own.close()
      expect((await svc('dashboard', '--stop')).code).toBe(0)
    }, 'SIGTERM')
    expect(stage.faults).toEqual([])
  })
})
