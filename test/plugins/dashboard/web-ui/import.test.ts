/** An export of another machine is imported in a browser: looked at, refused when it is damaged, and taken over into a profile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { runBuilt } from '../../../support/built.ts'
import { openWebStage, type WebStage } from './stage.ts'

describe.skipIf(missingChromium())('the import in a browser', () => {
  let stage: WebStage
  let page: Page
  let exported: string
  beforeAll(async () => {
    stage = await openWebStage((words) => `You said: ${words}`)
    const laptop = join(stage.work, 'laptop')
    mkdirSync(laptop)
    writeFileSync(join(laptop, 'config.yaml'), 'agent:\n  max_turns: 12\n')
    exported = join(stage.work, 'laptop.tar.gz')
    expect(runBuilt(['export', '--out', exported, '--only', 'settings'], { home: laptop }).code).toBe(0)
    mkdirSync(join(stage.home, 'profiles/travel'), { recursive: true })
    page = await stage.newPage('/operations')
  })
  afterAll(() => stage?.close())

  const card = () => page.locator('.card', { has: page.getByRole('heading', { name: 'Import', exact: true }) })
  const dialog = () => page.getByRole('dialog')
  const plan = () => dialog().getByRole('region', { name: 'What would change' })
  const choose = async (file: string | { name: string; mimeType: string; buffer: Buffer }) => {
    const picked = page.waitForEvent('filechooser')
    await card().getByRole('button', { name: 'Choose a file' }).focus()
    await page.keyboard.press('Enter')
    await (await picked).setFiles(file)
    await dialog().waitFor()
  }
  const config = () => readFileSync(join(stage.home, 'config.yaml'), 'utf8')
  const backups = () => (existsSync(`${stage.home}-backups`) ? readdirSync(`${stage.home}-backups`) : [])

  test('a wrong or damaged file is told, nothing can be confirmed and nothing is changed', async () => {
    const before = config()
    const damaged = readFileSync(exported)
    damaged.fill(0, damaged.length >> 1)
    for (const buffer of [Buffer.from('holiday pictures'), damaged]) {
      await choose({ name: 'wrong.tar.gz', mimeType: 'application/gzip', buffer })
      await dialog().getByRole('alert').waitFor()
      expect(await dialog().getByRole('alert').textContent()).toMatch(/The file .* Nothing was changed\.$/)
      expect(
        await dialog()
          .getByRole('button', { name: /^(Import|Store)/ })
          .isDisabled(),
      ).toBe(true)
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'detached' })
    }
    expect([config(), backups()]).toEqual([before, []])
  })

  test('what would change is shown, and a question that is closed changes nothing', async () => {
    const before = config()
    await choose(exported)
    await plan().getByText('1 file is taken over').waitFor()
    expect(await plan().locator('pre').textContent()).toBe('config.yaml')
    await plan().getByText('svc runs in this home').waitFor()
    for (const scheme of ['dark', 'light'] as const) {
      await setScheme(page, scheme)
      expect(await findBarriers(page)).toEqual([])
    }
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.setViewportSize({ width: 1280, height: 800 })
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect([config(), backups()]).toEqual([before, []])
  })

  test('it is taken over into another profile, followed, and the way back is named', async () => {
    await choose(exported)
    await dialog().getByLabel('Into the profile').selectOption('travel')
    await plan().getByText('No file is replaced.').waitFor()
    await dialog().getByRole('button', { name: 'Import', exact: true }).click()
    await dialog().waitFor({ state: 'detached' })
    await card().getByText('svc -p travel backup restore --undo').waitFor()
    expect(readFileSync(join(stage.home, 'profiles/travel/config.yaml'), 'utf8')).toContain('max_turns: 12')
    expect(await findBarriers(page)).toEqual([])
  })

  test('for the home in which svc runs the file is stored, and the commands are shown in their order', async () => {
    const before = config()
    await choose(exported)
    await dialog().getByRole('button', { name: 'Store the file and show the commands' }).click()
    await dialog().waitFor({ state: 'detached' })
    const commands = card().locator('.steps code')
    await commands.first().waitFor()
    const [, , command = ''] = await commands.allTextContents()
    const [, file = ''] = /^svc -p default import (\S+)$/.exec(command) ?? []
    expect(readFileSync(file)).toEqual(readFileSync(exported))
    expect(config()).toBe(before)
    expect(await findBarriers(page)).toEqual([])
    expect(stage.faults).toEqual([])
  })
})
