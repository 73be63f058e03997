/** What the browser tools do. */
import {
  type AuxiliaryModels,
  type Clock,
  errorCode,
  type ImageContent,
  type ResultFile,
  SvcError,
  type ToolContext,
  type ToolResult,
} from 'svc/sdk'
import type { Browser, BrowserSession, BrowserTab, SafeFetch } from 'svc/sdk/web'
import { click, stroke, type } from './input.ts'
import { load, readAddress } from './load.ts'
import { describePicture, listImages, takePicture } from './page-picture.ts'
import { takeSnapshot } from './snapshot.ts'
import { type Evaluated, evaluate } from './world.ts'

export interface BrowserDeps {
  readonly browser: () => Browser
  readonly guard: () => SafeFetch
  readonly clock: () => Clock
  readonly models: () => AuxiliaryModels | undefined
  /** Writes a picture to a file that the user is to get. */
  keep(picture: ImageContent): Promise<ResultFile>
}

/** A page gets so long to load; then what is there is used. */
const LOAD_MS = 5_000
/** One that was loading anyway is waited for no longer than this after a click. */
const LOADING_STILL_MS = 500
/** What a click sets off begins within this time. */
const REACTION_MS = 100
const LONGEST_ANSWER = 8000

export async function navigate(input: { url: string }, turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  const address = readAddress(input.url)
  await deps.guard().check(address)
  const session = await deps.browser().open(turn.sessionId)
  return session.run(turn.signal, async () => {
    const tab = await load(session, address, deps.clock())
    return report(session, tab, deps, { snapshot: 'short' })
  })
}

export async function snapshot(
  input: { full?: boolean | undefined; from?: number | undefined },
  turn: ToolContext,
  deps: BrowserDeps,
): Promise<ToolResult> {
  return onPage(turn, deps, async (tab) => ({ text: await pageText(tab, input), data: { url: tab.url } }))
}

export function clickOn(input: { ref: string }, turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  return act(turn, deps, async (tab) => `Clicked ${await click(tab, input.ref)}.`)
}

export function typeInto(
  input: { ref: string; text: string },
  turn: ToolContext,
  deps: BrowserDeps,
): Promise<ToolResult> {
  return act(turn, deps, async (tab) => {
    const { label, holds } = await type(tab, input.ref, input.text)
    return holds === undefined
      ? `Typed into ${label}.`
      : `Typed into ${label}, which now holds ${JSON.stringify(holds)}.`
  })
}

export function press(input: { key: string }, turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  return act(turn, deps, async (tab) => {
    await stroke(tab, input.key)
    return `Pressed ${input.key}.`
  })
}

export function scroll(input: { direction: 'up' | 'down' }, turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  return onPage(turn, deps, async (tab) => {
    const sign = input.direction === 'up' ? -1 : 1
    const { from, to, height } = await evaluate<{ from: number; to: number; height: number }>(
      tab,
      tab.id,
      `(${SCROLL})(${sign})`,
    )
    const end = to >= height ? ', the end' : ''
    const moved = from === to ? `It cannot be scrolled further ${input.direction}` : `Scrolled ${input.direction}`
    return { text: `${moved}: at ${to} of ${height} pixels${end}.`, data: { from, to, height } }
  })
}

export async function back(turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  const session = await deps.browser().session(turn.sessionId)
  return session.run(turn.signal, async () => {
    const tab = current(session)
    const { currentIndex, entries } = await tab
      .target()
      .send<{ currentIndex: number; entries: readonly { id: number; url: string }[] }>('Page.getNavigationHistory')
    const entry = entries[currentIndex - 1]
    if (entry && !entry.url.startsWith('about:blank')) {
      await tab.leave(() => tab.target().send('Page.navigateToHistoryEntry', { entryId: entry.id }))
    } else if (session.tabs.length > 1) await tab.close()
    else throw new SvcError('BROWSER_NO_BACK', 'There is no earlier page. Use browser_navigate.')
    return report(session, current(session), deps, { snapshot: 'short' })
  })
}

export function images(turn: ToolContext, deps: BrowserDeps): Promise<ToolResult> {
  return onPage(turn, deps, async (tab) => {
    const found = await listImages(tab)
    const lines = found.map(
      ({ src, alt, width, height }) => `${src} ${width}x${height}${alt ? ` ${JSON.stringify(alt)}` : ''}`,
    )
    return { text: lines.join('\n') || 'The page has no images.', data: { images: found } }
  })
}

export async function vision(
  input: { question?: string | undefined; annotate?: boolean | undefined; share?: boolean | undefined },
  turn: ToolContext,
  deps: BrowserDeps,
): Promise<ToolResult> {
  const session = await deps.browser().session(turn.sessionId)
  const picture = await session.run(turn.signal, () => {
    const tab = current(session)
    return tab.ask(() => takePicture(tab, { annotate: input.annotate === true }))
  })
  const { sessionId, turnId, signal } = turn
  const files = input.share ? [await deps.keep(picture)] : []
  const result = await describePicture(picture, input.question, { models: deps.models(), sessionId, turnId, signal })
  return files.length > 0 ? { ...result, files } : result
}

export async function readConsole(
  input: { clear?: boolean | undefined; expression?: string | undefined },
  turn: ToolContext,
  deps: BrowserDeps,
): Promise<ToolResult> {
  if (input.expression !== undefined && !deps.browser().mayEvaluate) {
    throw new SvcError('BROWSER_EVALUATE', 'Running code in pages is off. The user can set browser.unsafe_evaluate.')
  }
  const session = await deps.browser().session(turn.sessionId)
  return session.run(turn.signal, async () => {
    const tab = current(session)
    const { expression } = input
    const value = expression === undefined ? '' : await tab.ask(() => evaluateInPage(tab, expression))
    const lost = tab.lostMessages > 0 ? [`(${tab.lostMessages} older ones are lost)`] : []
    const messages = tab.messages.map(({ level, text }) => `${level}: ${text}`)
    if (input.clear) tab.clearMessages()
    const text = value === '' ? [...lost, ...messages].slice(-100).join('\n') || 'The console is empty.' : value
    return { text: text.slice(-LONGEST_ANSWER) }
  })
}

export async function dialog(
  input: { action: 'accept' | 'dismiss'; prompt_text?: string | undefined },
  turn: ToolContext,
  deps: BrowserDeps,
): Promise<ToolResult> {
  const session = await deps.browser().session(turn.sessionId)
  return session.run(turn.signal, async () => {
    const tab = session.tabs.find((each) => each.dialog) ?? current(session)
    const before = tab.url
    const { type: kind } = await tab.answer(input.action, input.prompt_text)
    const said = `The ${kind} was ${input.action === 'accept' ? 'accepted' : 'dismissed'}.`
    return report(session, tab, deps, { said, before })
  })
}

/** Something that may change the page: what came of it is told. */
async function act(
  turn: ToolContext,
  deps: BrowserDeps,
  work: (tab: BrowserTab) => Promise<string>,
): Promise<ToolResult> {
  const session = await deps.browser().session(turn.sessionId)
  return session.run(turn.signal, async () => {
    const tab = current(session)
    const before = tab.url
    const hadDialog = tab.dialog !== undefined
    const loadMs = (await tab.settled(0)) ? LOAD_MS : LOADING_STILL_MS
    let said = 'Done.'
    try {
      said = await tab.ask(() => work(tab))
    } catch (error) {
      // What was done opened a dialog, or closed the tab: both are told of below.
      const isOutcome = errorCode(error) === 'BROWSER_DIALOG' || errorCode(error) === 'BROWSER_TAB_GONE'
      if (hadDialog || !isOutcome) throw error
    }
    return report(session, tab, deps, { said, before, loadMs })
  })
}

/** Something that only looks at the page. */
async function onPage<Result>(
  turn: ToolContext,
  deps: BrowserDeps,
  work: (tab: BrowserTab) => Promise<Result>,
): Promise<Result> {
  const session = await deps.browser().session(turn.sessionId)
  return session.run(turn.signal, () => {
    const tab = current(session)
    return tab.ask(() => work(tab))
  })
}

function current(session: BrowserSession): BrowserTab {
  const tab = session.tabs[0]
  if (!tab) throw new SvcError('BROWSER_NO_TAB', 'No page is open. Begin with browser_navigate.')
  return tab
}

interface ReportOptions {
  readonly said?: string
  /** The address before; another one now is told of. */
  readonly before?: string
  readonly snapshot?: 'short'
  /** Milliseconds the page gets to finish loading. */
  readonly loadMs?: number
}

/** Waits for what was set off, and tells what has become of the page. */
async function report(
  session: BrowserSession,
  tab: BrowserTab,
  deps: BrowserDeps,
  options: ReportOptions,
): Promise<ToolResult> {
  await deps.clock().sleep(REACTION_MS)
  const shown = session.tabs[0]
  const isLoaded = await (shown ?? tab).settled(options.loadMs ?? LOAD_MS)
  const lines = options.said === undefined ? [] : [options.said]
  if (shown === undefined) return { text: [...lines, 'The page closed its tab.'].join('\n') }
  if (shown !== tab) {
    const opened = session.tabs.includes(tab)
      ? 'A new tab opened and is used now'
      : 'The tab closed; this one is used now'
    lines.push(`${opened}. browser_back ${session.tabs.length > 1 ? 'closes it' : 'goes back in it'}.`)
  }
  if (options.snapshot !== undefined || shown !== tab || shown.url !== options.before) lines.push(await heading(shown))
  lines.push(...listNotes(shown, isLoaded), ...(shown === tab ? [] : listNotes(tab, true)))
  if (options.snapshot !== undefined && !shown.dialog && !shown.crashed)
    lines.push('', await shown.ask(() => pageText(shown, {})))
  return { text: lines.join('\n'), data: { url: shown.url } }
}

async function heading(tab: BrowserTab): Promise<string> {
  if (tab.dialog || tab.crashed) return tab.url
  const about = '({ title: document.title, status: performance.getEntriesByType("navigation")[0]?.responseStatus })'
  try {
    const { title, status = 0 } = await tab.ask(() => evaluate<{ title: string; status?: number }>(tab, tab.id, about))
    return `${title.slice(0, 200) || '(no title)'}\n${tab.url}${status >= 400 ? ` (HTTP ${status})` : ''}`
  } catch (error) {
    if (!['BROWSER_DIALOG', 'BROWSER_PROTOCOL'].includes(errorCode(error))) throw error
    return tab.url
  }
}

function listNotes(tab: BrowserTab, isLoaded: boolean): string[] {
  const { refusal, download, dialogs } = tab.takeNotes()
  const notes = dialogs.map((note) => `Dialog: ${note}.`)
  if (refusal) notes.push(`Not loaded: ${refusal.url}: ${refusal.reason}`)
  if (download !== undefined) notes.push(`Downloads are refused: ${download}.`)
  if (tab.crashed) notes.push('The page crashed. browser_navigate opens a new tab.')
  if (tab.cut) notes.push('The page is larger than 5 MB; only its beginning was loaded.')
  if (tab.dialog) {
    const { type: kind, message } = tab.dialog
    notes.push(`The page shows a dialog (${kind}): ${JSON.stringify(message)}. Answer it with browser_dialog.`)
  } else if (!isLoaded && !tab.crashed) notes.push('The page is still loading.')
  return notes
}

async function pageText(
  tab: BrowserTab,
  input: { full?: boolean | undefined; from?: number | undefined },
): Promise<string> {
  const { text, next } = await takeSnapshot(tab, { full: input.full === true, from: input.from ?? 0 })
  if (next !== undefined) return `${text}\n… more with browser_snapshot from=${next}${input.full ? ' full=true' : ''}`
  if (text !== '') return text
  return input.full ? '(nothing more on the page)' : '(nothing to act on; full=true shows the text)'
}

async function evaluateInPage(tab: BrowserTab, expression: string): Promise<string> {
  const { result, exceptionDetails } = await tab.target().send<Evaluated<unknown>>('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
    userGesture: true,
  })
  if (exceptionDetails) {
    throw new SvcError('BROWSER_EVALUATE', exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
  const { value, description, type: kind } = result
  return value === undefined ? (description ?? kind) : JSON.stringify(value)
}

const SCROLL = `(sign) => {
  const page = document.scrollingElement || document.documentElement
  const scrolls = (each) => each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY)
  let area = document.elementFromPoint(innerWidth / 2, innerHeight / 2)
  while (area && !scrolls(area)) area = area.parentElement || area.getRootNode().host
  area = area || page
  const from = area.scrollTop
  area.scrollBy({ top: sign * area.clientHeight * 0.8, behavior: 'instant' })
  return { from: Math.round(from), to: Math.round(area.scrollTop), height: area.scrollHeight - area.clientHeight }
}`
