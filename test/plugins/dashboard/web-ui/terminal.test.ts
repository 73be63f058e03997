/** The terminal UI and a shell in the page, in a real browser and over a real pseudo terminal. */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

describe.skipIf(missingChromium())('the terminal in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage(
      (words) => `You said: ${words}`,
      (home) => appendFile(join(home, 'config.yaml'), 'web_terminal:\n  shell: true\n'),
    )
  })
  afterAll(async () => stage?.close())

  const shows = (text: string, on = page) =>
    expect
      .poll(async () => (await on.locator('.xterm-rows').innerText()).replaceAll('\u00a0', ' '), { timeout: 40_000 })
      .toContain(text)
  const type = async (text: string) => {
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }

  test('what is typed in the terminal UI is answered there, and a reload shows it again', async () => {
    page = await stage.newPage('/terminal')
    await page.getByRole('tab', { name: 'svc' }).waitFor()
    await shows('fake-model')
    await type('hello there')
    await shows('You said: hello there')
    await page.reload()
    await shows('You said: hello there')
  })

  test('its size follows that of the window', async () => {
    const columns = () =>
      page.evaluate(`document.querySelector('.xterm-rows').firstElementChild.parentElement.offsetWidth`)
    const before = Number(await columns())
    await page.setViewportSize({ width: 900, height: 700 })
    await expect.poll(async () => Number(await columns())).toBeLessThan(before)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a window that opens it takes it over, and the first one says so and can take it back', async () => {
    const opened = page.waitForEvent('popup')
    await page.evaluate(`void window.open('/terminal')`)
    const other = await opened
    await shows('You said: hello there', other)
    await page.getByText('This terminal was opened in another window.').waitFor()
    await page.getByRole('button', { name: 'Use it here' }).click()
    await other.getByText('This terminal was opened in another window.').waitFor()
    await shows('You said: hello there')
    await other.close()
  })

  test.for(['dark', 'light'] as const)('axe finds no barrier when the page is %s', async (colorScheme) => {
    await setScheme(page, colorScheme)
    expect(await findBarriers(page)).toEqual([])
  })

  test('the shell runs commands, says that it has ended, and starts again', async () => {
    await page.getByRole('tab', { name: 'Shell' }).click()
    await type('echo is $((40 + 2))')
    await shows('is 42')
    await type('exit')
    await page.getByText('The program has ended.').waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('The program has ended.').waitFor({ state: 'detached' })
    await type('echo again $((40 + 3))')
    await shows('again 43')
  })

  test('while the server is away the page says so, and it connects to the next one', async () => {
    await stage.restart(() => page.getByText('The terminal goes on').waitFor())
    await page.getByText('The terminal goes on').waitFor({ state: 'detached' })
    await type('echo back $((40 + 4))')
    await shows('back 44')
    expect(stage.faults).toEqual([])
  })
})
