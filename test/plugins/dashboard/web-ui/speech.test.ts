/** Answers are read aloud and messages dictated in a browser: a fake microphone, and programs that speak and listen. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

/** Speaks silence: a minute of it where the text asks for a long one, else a moment. */
const SPEAKER = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const [input, output] = process.argv.slice(2)
const text = readFileSync(input, 'utf8')
appendFileSync(new URL('spoken.txt', import.meta.url), JSON.stringify(text) + '\\n')
if (text.includes('hoarse')) throw new Error('no voice today')
const RATE = 8000
const samples = RATE * (text.includes('long') ? 60 : 0.2)
const head = Buffer.alloc(44)
head.write('RIFF', 0)
head.writeUInt32LE(36 + samples, 4)
head.write('WAVEfmt ', 8)
head.writeUInt32LE(16, 16)
head.writeUInt16LE(1, 20)
head.writeUInt16LE(1, 22)
head.writeUInt32LE(RATE, 24)
head.writeUInt32LE(RATE, 28)
head.writeUInt16LE(1, 32)
head.writeUInt16LE(8, 34)
head.write('data', 36)
head.writeUInt32LE(samples, 40)
writeFileSync(output, Buffer.concat([head, Buffer.alloc(samples, 128)]))
`
const LISTENER = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const sound = readFileSync(process.argv[2])
appendFileSync(new URL('heard.txt', import.meta.url), sound.subarray(0, 4).toString('hex') + '\\n')
console.log(existsSync(new URL('silent', import.meta.url)) ? '' : 'two litres of milk')
`
const LONG = 'A long answer.\n\n```sh\nrm -rf build\n```\n\n- One **bold** thing'

describe.skipIf(missingChromium())('speech in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    const answer = (words: string) => (words === 'long' ? LONG : `You said: ${words}`)
    const prepare = async (home: string) => {
      const file = join(home, 'config.yaml')
      const program = (name: string) => join(home, `${name}.mjs`)
      await writeFile(program('speak'), SPEAKER)
      await writeFile(program('listen'), LISTENER)
      const speech = {
        tts_command: `"${process.execPath}" "${program('speak')}" {input} {output}`,
        stt_command: `"${process.execPath}" "${program('listen')}" {input}`,
      }
      await writeFile(file, stringify({ ...parse(await readFile(file, 'utf8')), speech }))
    }
    stage = await openWebStage(answer, prepare, ['--use-fake-device-for-media-stream'])
    await stage.context.grantPermissions(['microphone'])
    // Notes the streams that the page gets.
    await stage.context.addInitScript(`
      const { mediaDevices } = navigator
      if (mediaDevices) {
      window.streams = []
      const ask = mediaDevices.getUserMedia.bind(mediaDevices)
      mediaDevices.getUserMedia = async (what) => {
        const stream = await ask(what)
        window.streams.push(stream)
        return stream
      }
      }`)
    page = await stage.newPage()
  })
  afterAll(() => stage?.close())

  const message = () => page.getByRole('textbox', { name: 'Message' })
  const say = async (text: string) => {
    await message().fill(text)
    await page.keyboard.press('Enter')
    await page.getByText('Working…').waitFor({ state: 'detached' })
  }
  const answer = (text: string) => page.locator('.entry.answer', { hasText: text })
  const lines = async (name: string) =>
    (await readFile(join(stage.home, `${name}.txt`), 'utf8').catch(() => '')).trim().split('\n').filter(Boolean)
  /** The states of all tracks of microphones that the page has had. */
  const tracks = () => page.evaluate('window.streams.flatMap((s) => s.getTracks()).map((track) => track.readyState)')
  const button = (name: string) => page.getByRole('button', { name })

  test('an answer is read aloud without its code, and a second press stops it', async () => {
    await say('long')
    const read = answer('A long answer.')
    await read.getByRole('button', { name: 'Read aloud' }).focus()
    await page.keyboard.press('Enter')
    await read.getByText('Reading aloud', { exact: true }).waitFor()
    expect(await lines('spoken')).toEqual([JSON.stringify('A long answer.\nOne bold thing')])
    expect(await findBarriers(page)).toEqual([])
    await read.getByRole('button', { name: 'Stop reading aloud' }).focus()
    await page.keyboard.press('Enter')
    await read.getByRole('button', { name: 'Read aloud' }).waitFor()
    expect(await page.getByText('Reading aloud', { exact: true }).count()).toBe(0)
  })

  test('one answer is read at a time, the same one without another request, and the end of the sound is the end', async () => {
    await answer('A long answer.').getByRole('button', { name: 'Read aloud' }).click()
    await answer('A long answer.').getByText('Reading aloud', { exact: true }).waitFor()
    expect(await lines('spoken')).toHaveLength(1)
    await say('short')
    await answer('You said: short').getByRole('button', { name: 'Read aloud' }).click()
    await answer('A long answer.').getByRole('button', { name: 'Read aloud' }).waitFor()
    await expect.poll(() => lines('spoken')).toHaveLength(2)
    await answer('You said: short').getByRole('button', { name: 'Read aloud' }).waitFor()
    expect(await page.getByText('Reading aloud', { exact: true }).count()).toBe(0)
  })

  test('a backend that fails is told with where it is set', async () => {
    await say('hoarse')
    await answer('You said: hoarse').getByRole('button', { name: 'Read aloud' }).click()
    const notice = page.getByRole('alert').filter({ hasText: 'It was not read aloud: ' })
    await notice.getByText('“speech” on the page Settings').waitFor()
    await answer('You said: hoarse').getByRole('button', { name: 'Read aloud' }).waitFor()
    await notice.getByRole('button').click()
  })

  test('what is dictated is inserted at the cursor and not sent, and the microphone is released', async () => {
    const asked = stage.model.requests.length
    await message().fill('Buy today')
    await message().evaluate((area) =>
      (area as unknown as { setSelectionRange: (a: number, b: number) => void }).setSelectionRange(3, 3),
    )
    await button('Dictate').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Recording', { exact: true }).waitFor()
    expect(await tracks()).toEqual(['live'])
    expect(await findBarriers(page)).toEqual([])
    await page.getByText('0:01').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => message().inputValue()).toBe('Buy two litres of milk today')
    expect(await tracks()).toEqual(['ended'])
    expect(await lines('heard')).toEqual(['1a45dfa3'])
    await page.keyboard.type(',')
    expect(await message().inputValue()).toBe('Buy two litres of milk, today')
    expect(stage.model.requests.length).toBe(asked)
  })

  test('Escape cancels: nothing is transcribed, the turn goes on and the text stays', async () => {
    await button('Dictate').click()
    await page.getByText('Recording', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await button('Dictate').waitFor()
    expect(await tracks()).toEqual(['ended', 'ended'])
    expect(await message().inputValue()).toBe('Buy two litres of milk, today')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await button('Dictate').click()
    await page.getByText('Recording', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Sessions' }).first().click()
    await expect.poll(tracks).toEqual(['ended', 'ended', 'ended'])
    await page.goBack()
    await button('Dictate').waitFor()
    expect(await lines('heard')).toHaveLength(1)
  })

  test('a recording without words is told', async () => {
    await appendFile(join(stage.home, 'silent'), '')
    await button('Dictate').click()
    await button('Insert as text').click()
    await page.getByText('No words were understood.').waitFor()
    expect(await message().inputValue()).toBe('Buy two litres of milk, today')
  })

  test.for(['dark', 'light'] as const)(
    'on a phone that is %s all fits and axe finds no barrier',
    async (colorScheme) => {
      await page.setViewportSize({ width: 360, height: 740 })
      await setScheme(page, colorScheme)
      await button('Dictate').click()
      await page.getByText('Recording', { exact: true }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      const { x = 0, width = 0 } = (await button('Send').boundingBox()) ?? {}
      expect(x + width).toBeLessThanOrEqual(360)
      expect(await findBarriers(page)).toEqual([])
      await button('Cancel dictation').click()
      await button('Dictate').waitFor()
    },
  )

  test('a browser that refuses the microphone, or has none, is told as a notice', async () => {
    await stage.context.clearPermissions()
    await page.reload()
    await button('Dictate').click()
    await page.getByRole('alert').getByText('does not give this page the microphone').waitFor()
    await button('Dictate').waitFor()
    const other = await stage.context.newPage()
    await other.addInitScript("Object.defineProperty(Navigator.prototype, 'mediaDevices', { get: () => undefined })")
    await other.goto(stage.url)
    await other.getByRole('button', { name: 'Dictate' }).click()
    await other.getByRole('alert').getByText('over HTTPS or on the same machine only').waitFor()
    await other.close()
  })

  test('where speech is not set up neither is offered', async () => {
    const file = join(stage.home, 'config.yaml')
    await stage.restart(async () => {
      const { speech: _, ...others } = parse(await readFile(file, 'utf8'))
      const speech = { tts_backend: 'openai', stt_backend: 'openai' }
      await writeFile(file, stringify({ ...others, speech }))
    })
    const status = page.waitForResponse((response) => response.url().endsWith('/api/audio/status'))
    await page.reload()
    await (await status).finished()
    await answer('A long answer.').waitFor()
    expect(await button('Read aloud').count()).toBe(0)
    expect(await button('Dictate').count()).toBe(0)
    expect(stage.faults).toEqual([])
  })
})
