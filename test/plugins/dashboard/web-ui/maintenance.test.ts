/** Work on the installation in a browser: checks, backups, a bundle, checkpoints, memories. Real processes of the built program. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

describe.skipIf(missingChromium())('the installation in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage((words) => `You said: ${words}`)
    mkdirSync(join(stage.home, 'memories'))
    writeFileSync(join(stage.home, 'memories/USER.md'), 'Likes rivers\n')
    page = await stage.newPage('/operations')
  })
  afterAll(() => stage?.close())

  const card = (title: string) =>
    page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) })
  const answer = async (action: string) => {
    await page.getByRole('dialog').getByRole('button', { name: action }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('the checks are run and their findings shown; a repair is asked for before', async () => {
    await card('Maintenance').getByRole('button', { name: 'Check', exact: true }).click()
    await card('Maintenance').locator('pre', { hasText: 'warnings:' }).waitFor()
    await card('Maintenance').getByText('Done').waitFor()
    await card('Maintenance').getByRole('button', { name: 'Repair' }).click()
    await page.getByRole('dialog', { name: 'Repair the installation' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a backup is made, checked and downloaded after a question', async () => {
    const backups = card('Backups')
    await backups.getByText('There is no backup').waitFor()
    await backups.getByRole('button', { name: 'Back up' }).click()
    const row = backups.getByRole('row', { name: /svc-.*\.tar\.gz/ })
    await row.waitFor()
    await row.getByRole('button', { name: 'Check' }).click()
    await backups.getByText('is sound').waitFor()
    await row.getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog').getByText('keys and conversations in plain text').waitFor()
    const saved = page.waitForEvent('download')
    await answer('Download')
    const [name = ''] = readdirSync(`${stage.home}-backups`)
    expect(readFileSync(await (await saved).path())).toEqual(readFileSync(join(`${stage.home}-backups`, name)))
  })

  test('a bundle for a bug report is made here and downloaded', async () => {
    await card('Bug report').getByText('It is not sent to anyone.').waitFor()
    await card('Bug report').getByRole('button', { name: 'Make a bundle' }).click()
    const saved = page.waitForEvent('download')
    await card('Bug report').getByRole('button', { name: 'Download the bundle' }).click()
    expect(Object.keys(unzipSync(readFileSync(await (await saved).path())))).toContain('doctor.json')
  })

  test('old checkpoints are deleted after a question, and the curator is paused', async () => {
    await card('Checkpoints').getByRole('button', { name: 'Delete old ones' }).click()
    await answer('Delete')
    await card('Checkpoints').getByText('Done.').waitFor()
    await card('Skills of the agent').getByRole('button', { name: 'Pause' }).click()
    await card('Skills of the agent').getByText('paused', { exact: true }).waitFor()
    expect(await findBarriers(page)).toEqual([])
  })

  test('a hook is added with its moment, shown as it is stored, and removed after a question', async () => {
    const config = () => readFileSync(join(stage.home, 'config.yaml'), 'utf8')
    const hooks = card('Hooks')
    await hooks.getByText('There are no hooks.').waitFor()
    await hooks.getByRole('button', { name: 'Add a hook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Moment').selectOption('PreToolUse')
    await dialog.getByLabel('Tools').fill('terminal')
    await dialog.getByLabel('Command').fill('logger used')
    expect(await findBarriers(page)).toEqual([])
    await answer('Add')
    const row = hooks.getByRole('row', { name: /PreToolUse.*terminal.*logger used.*never/s })
    await row.waitFor()
    expect(config()).toContain('logger used')
    expect(await findBarriers(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove logger used' }).click()
    await answer('Remove')
    await hooks.getByText('There are no hooks.').waitFor()
    expect(config()).not.toContain('logger used')
  })

  test('memories are changed and forgotten by the person they are about', async () => {
    const file = join(stage.home, 'memories/USER.md')
    await page.goto(`${stage.url}/memory`)
    await card('About you').getByText('Likes rivers').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await card('About you').getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('Likes lakes')
    await answer('Save')
    await card('About you').getByText('Likes lakes').waitFor()
    expect(readFileSync(file, 'utf8')).toBe('Likes lakes\n')
    await card('About you').getByRole('button', { name: 'Forget all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(readFileSync(file, 'utf8')).toBe('Likes lakes\n')
    await card('About you').getByRole('button', { name: 'Forget', exact: true }).click()
    await answer('Forget')
    await card('About you').getByText('Nothing yet.').waitFor()
    expect([readFileSync(file, 'utf8'), existsSync(`${file}.bak`)]).toEqual(['', false])
    expect(stage.faults).toEqual([])
  })
})
