/**
 * A page that lives through restarts of the server and cuts of the network while turns are at work: it shows each event once, in
 * order, and says each message once. A real browser, real processes (half of them killed), a proxy that resets connections or lets
 * them fall silent. A sample each day; `SVC_FAULTS=all`: a hundred restarts and a hundred cuts.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { type BreakingProxy, breakingProxy } from '../../../support/breaking-proxy.ts'
import { missingChromium } from '../../../support/browser.ts'
import { DAY, IS_ALL } from '../../../support/today.ts'
import { openWebStage, type WebStage } from './stage.ts'

const COUNT = IS_ALL ? 100 : 3
const MODES = ['queue', 'steer'] as const
const SIGNALS = ['SIGKILL', 'SIGTERM'] as const
/** What is said and what the model answers, each with a number of its own. */
const PIECE = /say-\d+|q\d+\.\d+/g
const findPieces = (text: string): readonly string[] => text.match(PIECE) ?? []

/** The same with `q3.0..59` for all from the one to the other, for a failure that can be read. */
function joinRuns(pieces: readonly string[]): readonly string[] {
  const runs: { readonly answer: string; readonly from: number; to: number }[] = []
  for (const piece of pieces) {
    const [answer = '', at = ''] = piece.split('.')
    const last = runs.at(-1)
    if (last && at !== '' && last.answer === answer && last.to + 1 === Number(at)) last.to++
    else runs.push({ answer, from: Number(at), to: Number(at) })
  }
  return runs.map(({ answer, from, to }) => (answer.startsWith('say') ? answer : `${answer}.${from}..${to}`))
}

/** Numbers that are the same for the same day (Park and Miller, Communications of the ACM 31/10). */
function createRandom(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** All entries of the transcript from top to bottom, of which only those in view exist. */
async function readTranscript(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(async () => {
    const box = document.querySelector('.virtual-scroller')
    const rows = new Map()
    box.scrollTop = 0
    for (let last = -1; ; ) {
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      for (const row of document.querySelectorAll('.row')) rows.set(Number(row.getAttribute('aria-posinset')), row.innerText)
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 2 || box.scrollTop === last) break
      last = box.scrollTop
      box.scrollTop += box.clientHeight / 2
    }
    return [...rows].sort(([one], [two]) => one - two).map(([, text]) => text)
  })()`)
}

describe.skipIf(missingChromium())('a page that lives on', () => {
  let stage: WebStage
  let proxy: BreakingProxy
  let page: Page
  let said = 0
  beforeAll(async () => {
    stage = await openWebStage(() => {
      const index = stage.model.requests.length
      return { text: Array.from({ length: 60 }, (_, at) => `q${index}.${at} `), paceMs: 25 }
    })
    proxy = await breakingProxy(stage.port)
  })
  afterAll(async () => {
    proxy?.close()
    await stage?.close()
  })

  const say = async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill(`say-${++said}`)
    await page.keyboard.press('Enter')
  }

  /** Nothing waits in the browser, and no turn is at work. */
  const settle = async () => {
    const left = `Object.keys(localStorage).filter((name) => name.startsWith('svc.outbox.')).length`
    const quiet = async () =>
      (await page.evaluate(left)) === 0 && (await page.locator('.working').textContent())?.trim() === ''
    await expect.poll(async () => (await quiet()) && (await quiet()), { timeout: 60_000, interval: 300 }).toBe(true)
  }

  /** What the session has of it. */
  const readSession = async (): Promise<readonly string[]> => {
    const stored = new URL(page.url()).pathname.split('/').at(-1)
    const socket = new WebSocket(`ws://127.0.0.1:${stage.port}/api/ws?token=${stage.token}`)
    const waiting = new Map<number, (result: Record<string, unknown>) => void>()
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data))
      waiting.get(id)?.(result)
    })
    await new Promise((resolve) => socket.once('open', resolve))
    let next = 0
    const call = (method: string, params: object) =>
      new Promise<Record<string, unknown>>((resolve) => {
        waiting.set(++next, resolve)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: next, method, params }))
      })
    const { session_id } = await call('session.resume', { session_id: stored })
    const { messages } = await call('session.history', { session_id })
    socket.terminate()
    return (messages as readonly { readonly text: string }[]).flatMap(({ text }) => findPieces(text))
  }

  /** Where a turn is at work: what is typed waits for its end, or is added to it. */
  const chooseMode = async (mode = '') => {
    const whenBusy = page.getByRole('combobox', { name: 'While it works' })
    if (await whenBusy.isVisible()) await whenBusy.selectOption(mode, { timeout: 1000 }).catch(() => {})
  }

  /** Something breaks while a turn is at work, and messages are typed before, meanwhile and after, or not. */
  const breakOnce = async (at: number, random: (below: number) => number) => {
    await chooseMode(MODES[random(2)])
    if (random(3) > 0) await say()
    await page.waitForTimeout(random(400))
    if (at % 2 === 0) await stage.restart(random(2) ? say : undefined, SIGNALS[random(2)])
    else if (at % 8 === 1) proxy.silence()
    else proxy.cut()
    if (random(2)) await say()
  }

  test(`${COUNT} restarts and ${COUNT} cuts: each event is shown once, in order, and each message is said once`, {
    timeout: IS_ALL ? 3_600_000 : 180_000,
  }, async () => {
    const random = createRandom(DAY)
    page = await stage.context.newPage()
    page.on('pageerror', (error) => expect.soft(error.message).toBe(''))
    await page.goto(proxy.url)
    await say()
    await page.getByText('q1.0').waitFor()
    for (let at = 0; at < 2 * COUNT; at++) {
      await breakOnce(at, random)
      // Messages are typed faster than they are answered.
      if (at % 10 === 9) await settle()
    }
    await settle()
    const expected = await readSession()
    const rows = await readTranscript(page)
    expect(joinRuns(rows.flatMap(findPieces))).toEqual(joinRuns(expected))
    const ofUser = expected.filter((piece) => piece.startsWith('say-'))
    expect(ofUser.toSorted()).toEqual(Array.from({ length: said }, (_, at) => `say-${at + 1}`).toSorted())
    expect(new Set(expected).size).toBe(expected.length)
  })

  test('a message that is typed without a connection waits over a reload, and is said once', async () => {
    proxy.refuseSockets()
    await say()
    await page.getByText('Waiting to be sent').waitFor()
    await page.reload()
    await page.getByText('Waiting to be sent').waitFor()
    proxy.allowSockets()
    await settle()
    expect((await readSession()).filter((piece) => piece === `say-${said}`)).toHaveLength(1)
    const rows = await readTranscript(page)
    expect(rows.flatMap(findPieces).filter((piece) => piece === `say-${said}`)).toHaveLength(1)
    await page.reload()
    await page.getByText(`say-${said}`).waitFor()
  })
})
