/** The branches of a chat as a tree, from which one is opened. A real browser and the built program. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { root } from '../../../support/repository.ts'
import { openWebStage, type WebStage } from './stage.ts'

describe.skipIf(missingChromium())('the tree of branches in a browser', () => {
  let stage: WebStage
  let page: Page
  let first = ''
  beforeAll(async () => {
    stage = await openWebStage((words) => `You said: ${words}`)
    page = await stage.newPage('/chat')
  })
  afterAll(async () => stage?.close())

  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(`You said: ${text}`).waitFor()
    await page.getByText('Working…').waitFor({ state: 'detached' })
  }
  /** As in a terminal. */
  const label = (session: string, at: number, text: string) =>
    execFileSync(
      process.execPath,
      [join(root, 'dist/kernel/bin.cjs'), 'sessions', 'label', session, text, '--at', String(at)],
      { cwd: stage.work, env: { PATH: process.env['PATH'], HOME: stage.work, SVC_HOME: stage.home } },
    )
  const here = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const branch = async () => {
    const before = page.url()
    await page.getByRole('button', { name: 'Branch', exact: true }).click()
    await page.waitForURL((url) => url.href !== before)
    await page.getByRole('button', { name: 'Tree of branches' }).waitFor()
  }
  const openTree = async () => {
    await page.getByRole('button', { name: 'Tree of branches' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tree of branches' })
    await dialog.getByRole('list').first().waitFor()
    return dialog
  }

  test('a chat without branches says so', async () => {
    await say('otters')
    first = here()
    const dialog = await openTree()
    await dialog.getByText('This chat has no branches yet.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('branches and branches of branches stand below what they branched off, the open one is marked', async () => {
    await branch()
    const child = here()
    await say('seals')
    await branch()
    const grandchild = here()
    await say('walruses')
    expect(new Set([first, child, grandchild]).size).toBe(3)
    const dialog = await openTree()
    const nested = dialog.locator('ul ul ul li')
    expect(await nested.getByRole('link').getAttribute('href')).toBe(`/chat/${grandchild}`)
    const links = await dialog.getByRole('link').all()
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')))
    expect(addresses).toEqual([first, child, grandchild].map((id) => `/chat/${id}`))
    expect(await dialog.locator('[aria-current]').getAttribute('href')).toBe(`/chat/${grandchild}`)
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
  })

  test('a branch is opened by keyboard, and the chat is that of the branch', async () => {
    const dialog = page.getByRole('dialog', { name: 'Tree of branches' })
    await dialog.getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === `/chat/${first}`)
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('You said: otters').waitFor()
    expect(await page.getByText('You said: seals').count()).toBe(0)
  })

  test('a labelled message stands in its place and begins another branch', async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill('more otters')
    await page.keyboard.press('Enter')
    await page.getByText('You said: more otters').waitFor()
    await page.getByText('Working…').waitFor({ state: 'detached' })
    label(first, 2, 'before more')
    const dialog = await openTree()
    expect(await dialog.locator('li li').first().textContent()).toContain('before more')
    await dialog.getByRole('button', { name: 'Continue from here before more' }).click()
    await page.waitForURL((url) => url.pathname !== `/chat/${first}`)
    await page.getByText('You said: otters').waitFor()
    expect(await page.getByText('You said: more otters').count()).toBe(0)
  })

  test('the page of a stored session has its tree, too', async () => {
    await page.evaluate(`history.pushState(null, '', '/sessions/${first}')`)
    await page.getByText('Tree of branches').click()
    const links = page.locator('.tree a')
    await links.first().waitFor()
    expect(await links.count()).toBe(4)
    expect(await findBarriers(page)).toEqual([])
    await links.nth(1).click()
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(first))
    expect(stage.faults).toEqual([])
  })
})
