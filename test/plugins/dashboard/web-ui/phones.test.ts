/** Stories of a person with a phone in the hand, in front of the pages: codes are read from the picture on the screen. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { StandInService } from 'svc/sdk/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import {
  openStandIn as openSignal,
  type SignalStandIn,
} from '../../../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { readQrCode } from '../../../support/qr-code.ts'
import { root } from '../../../support/repository.ts'
import { openStandIn } from '../../../support/stand-ins.ts'
import { openWebStage, type WebStage } from './stage.ts'

const CONTACT = 'https://t.me/svc_test_bot'

/** What a camera sees in front of the screen. */
async function photograph(part: Locator, desk: Page): Promise<string | undefined> {
  const picture = (await part.screenshot()).toString('base64')
  const pixels = await desk.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${picture}')).blob())
    const { width, height } = bitmap
    const drawing = new OffscreenCanvas(width, height).getContext('2d')
    drawing.drawImage(bitmap, 0, 0)
    return { width, height, data: [...drawing.getImageData(0, 0, width, height).data] }
  })()`)
  return readQrCode({ ...pixels, data: new Uint8ClampedArray(pixels.data) })
}

describe.skipIf(missingChromium())('a phone in front of the pages', () => {
  let telegram: StandInService
  let signal: SignalStandIn
  let stage: WebStage
  let gateway: ChildProcess
  let page: Page
  /** Another page, on which pictures are looked at. */
  let desk: Page

  beforeAll(async () => {
    telegram = await openStandIn('telegram')
    signal = await openSignal()
    stage = await openWebStage(
      (words) => `You said: ${words}`,
      async (home) => {
        const file = join(home, 'config.yaml')
        const config = parse(readFileSync(file, 'utf8')) as object
        const platforms = { telegram: telegram.config, signal: signal.config }
        await writeFile(file, stringify({ ...config, platforms }))
        appendFileSync(join(home, '.env'), `TELEGRAM_BOT_TOKEN=${telegram.env['TELEGRAM_BOT_TOKEN']}\n`)
      },
    )
    const words = [join(root, 'dist/kernel/bin.cjs'), 'gateway', 'run', '--no-supervise']
    const env = { PATH: process.env['PATH'], SVC_HOME: stage.home, HOME: stage.work }
    gateway = spawn(process.execPath, words, { cwd: stage.work, env, stdio: 'ignore' })
    // The newest page is in front, and only that one is drawn.
    desk = await stage.context.newPage()
    page = await stage.newPage('/channels')
  })
  afterAll(async () => {
    if (gateway && gateway.exitCode === null) {
      const gone = once(gateway, 'exit')
      gateway.kill()
      await gone
    }
    await stage?.close()
    await Promise.all([telegram?.close(), signal?.close()])
  })

  test('the code of a platform that is connected is read in the dark and in the light, and has its address as text', async () => {
    await page.getByRole('button', { name: 'Reach Telegram from a phone' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reach Telegram from a phone' })
    const code = dialog.getByRole('img', { name: 'QR code: Telegram' })
    await code.waitFor()
    for (const scheme of ['dark', 'light'] as const) {
      await setScheme(page, scheme)
      expect(await photograph(code, desk), scheme).toBe(CONTACT)
      expect(await findBarriers(page)).toEqual([])
    }
    expect(await dialog.getByRole('link', { name: CONTACT }).getAttribute('href')).toBe(CONTACT)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await photograph(code, desk)).toBe(CONTACT)
    await page.setViewportSize({ width: 1280, height: 800 })
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByRole('button', { name: /^Reach/ }).count()).toBe(1)
  })

  test('the first steps show it as well', async () => {
    const first = await stage.newPage('/welcome')
    const code = first.getByRole('img', { name: 'QR code: Telegram' })
    await code.waitFor()
    expect(await photograph(code, desk)).toBe(CONTACT)
    expect(await findBarriers(first)).toEqual([])
    await first.close()
  })

  test('Signal is linked to the account of a phone, after an attempt that was left and one that was too late', async () => {
    await page.getByRole('button', { name: 'Set up signal' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up signal' })
    const begin = () => dialog.getByRole('button', { name: 'Link a phone' }).click()
    const code = dialog.getByRole('img', { name: 'QR code: signal' })
    const scan = async () => {
      await begin()
      await code.waitFor()
      await expect.poll(() => signal.isLinking, { timeout: 20_000 }).toBe(true)
      return (await photograph(code, desk)) ?? ''
    }
    expect(await scan()).toMatch(/^sgnl:\/\/linkdevice\?uuid=/)
    expect(await findBarriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => signal.isLinking, { timeout: 20_000 }).toBe(false)

    signal.scan(await scan(), 'expire')
    await dialog.getByText('Link request timed out').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    const seen = await scan()
    signal.scan(seen)
    await dialog.getByText('The phone has agreed: +15550100').waitFor()
    expect(await page.content()).not.toContain(seen)
    await dialog.getByRole('button', { name: 'Use +15550100' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(readFileSync(join(stage.home, '.env'), 'utf8')).toContain('SIGNAL_ACCOUNT=+15550100')
  })

  test('nothing failed on the pages', () => {
    expect(stage.faults).toEqual([])
  })
})
