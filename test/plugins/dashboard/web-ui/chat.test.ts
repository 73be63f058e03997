import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

const answer = `## What I found

| File | Size |
| --- | ---: |
| \`main.py\` | 2 kB |

\`\`\`python
def greet():
    return "hi"
\`\`\`

<img src=x onerror="window.broken=true"> ![far](https://example.com/pixel.png) [bad](javascript:alert(1))`

/** What the model does is named by the first word of the message. */
const scripts: Readonly<Record<string, Parameters<typeof openWebStage>[0]>> = {
  show: () => ({ reasoning: 'I look first.', text: answer.match(/[\s\S]{1,20}/g) ?? [] }),
  write: () => ({
    text: 'I write it.',
    calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'one\ntwo\n' } }],
  }),
  run: () => ({ calls: [{ name: 'terminal', arguments: { command: 'rm -rf ./made' } }] }),
  ask: () => ({ calls: [{ name: 'clarify', arguments: { question: 'Which colour?', choices: ['red', 'green'] } }] }),
  wait: () => ({ text: ['I begin', ' and go on'], fault: 'stall' }),
}

const missing = missingChromium()

describe.skipIf(missing)('the chat in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage((words, request) => {
      if (words.startsWith('tool: ')) return `The tool said ${words.includes('green') ? 'green' : 'something'}.`
      return scripts[words.split(' ', 1)[0] ?? '']?.(words, request) ?? `You said: ${words}`
    })
  })
  afterAll(async () => stage?.close())

  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  const idle = () => page.getByText('Working…').waitFor({ state: 'detached' })

  test('an answer is shown as it is written, as safe Markdown with coloured code', async () => {
    page = await stage.newPage()
    await say('show me')
    await page.getByRole('heading', { name: 'What I found' }).waitFor()
    await page.locator('.hljs-keyword').first().waitFor()
    expect(await page.locator('.markdown td code').textContent()).toBe('main.py')
    expect(await page.getByText('Reasoning').count()).toBe(1)
    expect(await page.locator('.markdown img').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'far' }).getAttribute('href')).toBe('https://example.com/pixel.png')
    expect(await page.getByText('bad', { exact: true }).getAttribute('href')).toBeNull()
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect(new URL(page.url()).pathname).toMatch(/^\/chat\/\w+/)
  })

  test('a tool call folds, and a change of a file is shown as a diff', async () => {
    await say('write a file')
    await page.locator('.diff .added', { hasText: 'two' }).waitFor()
    await page.locator('.entry.tool summary').click()
    expect(await page.locator('.tool-details').textContent()).toContain('notes.txt')
    await idle()
    expect(existsSync(join(stage.home, 'workspace', 'notes.txt'))).toBe(true)
  })

  test('a dangerous command waits for the answer of a person, and so does a question', async () => {
    await say('run it')
    const card = page.getByRole('region', { name: 'Approval' })
    expect(await card.locator('pre').textContent()).toBe('rm -rf ./made')
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.getByText('Answered: Deny').waitFor()
    await idle()
    await say('ask me')
    await page.getByRole('button', { name: 'green' }).waitFor()
    // An empty answer does not count.
    await page.locator('.answer-form input').press('Enter')
    await page.getByRole('button', { name: 'green' }).click()
    await page.getByText('The tool said green.').waitFor()
    await idle()
  })

  test('a running turn is stopped, and a message that is typed meanwhile waits for its end', async () => {
    await say('wait for it')
    await page.getByText('I begin').waitFor()
    await page.getByRole('combobox', { name: 'While it works' }).selectOption('queue')
    await say('the next one')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('(stopped)').waitFor()
    await idle()
  })

  test('a page that is loaded again shows the same conversation, and what was typed is still there', async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill('half a sentence')
    await page.reload()
    await page.getByText('The tool said green.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a sentence')
  })

  test('what is said while the server is away is said once when it is back', async () => {
    await stage.restart(async () => {
      await page.getByText('No connection.').waitFor()
      await say('said while away')
      await page.getByText('Waiting to be sent').waitFor()
    })
    await page.getByText('You said: said while away').waitFor()
    await page.reload()
    await page.getByText('You said: said while away').waitFor()
    const asked = stage.model.requests.filter(({ raw }) => raw.toString().includes('said while away'))
    const first = asked.filter(({ body }) =>
      JSON.stringify((body['messages'] as unknown[]).at(-1)).includes('said while away'),
    )
    expect(first).toHaveLength(1)
    expect(await page.locator('.entry.user', { hasText: 'said while away' }).count()).toBe(1)
  })

  test('a file is attached by dropping it, a picture by pasting it', async () => {
    await page.evaluate(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(['a,b\\n1,2'], 'table.csv', { type: 'text/csv' }))
      files.items.add(new File(['\`\`\`\\ncode\\n\`\`\`'], 'fenced.md', { type: 'text/markdown' }))
      files.items.add(new File(['x'.repeat(300000)], 'long.txt', { type: 'text/plain' }))
      files.items.add(new File(['a\\0b'], 'program', { type: '' }))
      document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))
      const png = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (c) => c.charCodeAt(0))
      const pasted = new DataTransfer()
      pasted.items.add(new File([png], 'dot.png', { type: 'image/png' }))
      document.querySelector('.composer-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }))
    })()`)
    await page.getByRole('button', { name: 'Remove table.csv' }).waitFor()
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor()
    await page.getByRole('button', { name: 'Remove fenced.md' }).waitFor()
    await page.getByText('long.txt is too large for a message.').waitFor()
    await page.getByText('program is neither a picture nor a text.').waitFor()
    expect(await page.getByRole('button', { name: /^Remove (long|program)/ }).count()).toBe(0)
    await say('look at these')
    await page.locator('.bubble img').waitFor()
    const isSent = (text: string) => stage.model.requests.some(({ raw }) => raw.toString().includes(text))
    await expect.poll(() => isSent('a,b\\n1,2')).toBe(true)
    // The fence around a file is longer than any in it.
    expect(isSent('````\\n```\\ncode\\n```\\n````')).toBe(true)
    await idle()
  })

  test('the palette finds pages and chats by keyboard, and a branch becomes a chat of its own', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('New chat')
    await page.keyboard.press('Enter')
    await page.getByText('What shall we do?').waitFor()
    await page.goBack()
    const before = page.url()
    await page.getByRole('button', { name: 'Branch', exact: true }).click()
    await page.waitForURL((url) => url.href !== before && url.pathname.startsWith('/chat/'))
  })

  test('the language and the look change at once, right-to-left too', async () => {
    await page.getByRole('button', { name: 'Look and language' }).click()
    await page.getByLabel('Language').selectOption('ar')
    await page.locator('html[dir=rtl][lang=ar]').waitFor()
    const side = await page.locator('.sidebar').boundingBox()
    expect(side?.x).toBeGreaterThan(1000)
    await page.getByRole('button', { name: 'محادثة جديدة' }).first().waitFor()
    await page.locator('.preference-fields select').last().selectOption('en')
    await page.locator('html[dir=ltr]').waitFor()
    await page.getByLabel('Look', { exact: true }).selectOption('poseidon')
    expect(await page.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--accent")')).toBe(
      '#5fd0f0',
    )
    await page.getByLabel('Look', { exact: true }).selectOption('')
    await page.getByRole('button', { name: 'Look and language' }).click()
  })

  test.for(['dark', 'light'] as const)('axe finds no barrier in the chat when it is %s', async (colorScheme) => {
    await setScheme(page, colorScheme)
    expect(await findBarriers(page)).toEqual([])
  })

  test('on a phone the navigation is behind a button, and nothing is wider than the screen', async () => {
    await page.setViewportSize({ width: 375, height: 700 })
    await page.getByRole('navigation').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByText('What shall we do?').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    expect(await findBarriers(page)).toEqual([])
  })

  test('no page reported an error, and nothing was asked of other servers', () => {
    expect(stage.faults).toEqual([])
    expect(readdirSync(stage.home).length).toBeGreaterThan(0)
  })
})
