/** The journey in a browser: what was learned is read, corrected, removed and brought back. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { writeFiles } from '../../../support/temporary.ts'
import { skillText } from '../../skills/skills/stage.ts'
import { openWebStage, type WebStage } from './stage.ts'

const ODE = skillText('ode', 'Praise a thing in verse.', 'Rhyme, then read it aloud.')
const create = { name: 'skill_manage', arguments: { action: 'create', name: 'ode', reason: 'r', content: ODE } }

describe.skipIf(missingChromium())('the journey in a browser', () => {
  let stage: WebStage
  let page: Page
  const memories = () => readFileSync(join(stage.home, 'memories/MEMORY.md'), 'utf8')
  const list = () => page.getByRole('main').getByRole('listitem')
  const entry = (title: string) => list().filter({ hasText: title })
  const circles = () =>
    page
      .locator('.journey-drawing circle')
      .evaluateAll((all) => all.map((each) => each.outerHTML.replace(/ class="[^"]*"/, '')))

  beforeAll(async () => {
    stage = await openWebStage((words) => (words === 'write an ode' ? { calls: [create] } : 'It is written.'))
    page = await stage.newPage('/journey')
  })
  afterAll(() => stage?.close())

  test('without anything learned the page says how that begins', async () => {
    await page.getByText('Nothing was learned yet.').waitFor()
    expect(await findBarriers(page)).toEqual([])
  })

  test('skills and memories are listed by kind with their time, links and session; the drawing is the same each time', async () => {
    const related = 'metadata:\n  svc:\n    related_skills: [ode]\n'
    writeFiles(stage.home, {
      'skills/tidy/SKILL.md': skillText('tidy', 'Tidy up.', 'Begin with the desk.', related),
      'memories/MEMORY.md': 'Use `tidy` on Mondays\n§\nOtters hold hands\n',
    })
    await page.evaluate("history.pushState(null, '', '/chat')")
    await page.getByRole('textbox', { name: 'Message' }).fill('write an ode')
    await page.keyboard.press('Enter')
    await page.getByText('It is written.').waitFor()
    await page.evaluate("history.pushState(null, '', '/journey')")
    await page.getByRole('heading', { name: 'Skills 2' }).waitFor()
    await page.getByRole('heading', { name: 'Memories 2' }).waitFor()
    await entry('Tidy up.').filter({ hasText: 'Belongs to: ode: Praise a thing in verse.' }).waitFor()
    expect(await entry('ode: Praise').locator('time').count()).toBeGreaterThan(0)
    // Two skills, two memories and the session.
    const drawn = await circles()
    expect(new Set(drawn).size).toBe(5)
    expect(await page.locator('.journey-drawing line').count()).toBe(3)
    await page.reload()
    await list().first().waitFor()
    expect(await circles()).toEqual(drawn)
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
    await page.setViewportSize({ width: 375, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a link leads to its entry, which the drawing shows, or to its session', async () => {
    await entry('Use `tidy` on Mondays').getByRole('link', { name: 'tidy: Tidy up.' }).press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('skills:tidy')
    await page.locator('.journey-drawing circle.active', { hasText: 'tidy: Tidy up.' }).waitFor()
    expect(await page.locator('.journey-drawing line.active').count()).toBe(2)
    await page.getByText('From the session').getByRole('link').click()
    await page.waitForURL(/\/sessions\/[\w-]+$/)
    await page.getByText('write an ode').first().waitFor()
    await page.goBack()
    await list().first().waitFor()
  })

  test('an entry is changed in a window; what was changed elsewhere meanwhile is not overwritten, and nothing typed is lost', async () => {
    await page.getByRole('button', { name: 'Edit Otters hold hands' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Otters hold hands' })
    const text = dialog.getByRole('textbox', { name: 'Text' })
    await text.waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Otters hold paws')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await entry('Otters hold paws').waitFor()
    expect(memories()).toContain('Otters hold paws')

    await page.getByRole('button', { name: 'Edit tidy: Tidy up.' }).click()
    const skill = page.getByRole('dialog', { name: 'tidy: Tidy up.' })
    const typed = skillText('tidy', 'Tidy up.', 'Begin with the floor.')
    await skill.getByRole('textbox', { name: 'Text' }).fill(typed)
    const file = join(stage.home, 'skills/tidy/SKILL.md')
    const theirs = readFileSync(file, 'utf8').replace('the desk', 'the window')
    writeFileSync(file, theirs)
    await skill.getByRole('button', { name: 'Save' }).click()
    await skill.getByRole('alert').waitFor()
    expect(readFileSync(file, 'utf8')).toBe(theirs)
    expect(await skill.getByRole('textbox', { name: 'Text' }).inputValue()).toBe(typed)
    await page.keyboard.press('Escape')
    await skill.waitFor({ state: 'detached' })
  })

  test('an entry that was removed comes back by the button that has the focus then, also after another page', async () => {
    await page.getByRole('button', { name: 'Remove Otters hold paws' }).press('Enter')
    await page.getByText('Removed: Otters hold paws').waitFor()
    await entry('Otters hold paws').waitFor({ state: 'detached' })
    expect(memories()).not.toContain('Otters')
    await page.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Memory' }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await entry('Otters hold paws').waitFor()
    expect(memories()).toContain('Otters hold paws')
    expect(await page.getByText('Removed: Otters hold paws').count()).toBe(0)
    expect(stage.faults).toEqual([])
  })
})
