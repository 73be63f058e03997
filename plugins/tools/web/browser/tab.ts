/** One tab: what it shows, whether it still loads, and what stands in its way. */
import { type Clock, SvcError } from 'svc/sdk'
import type { BrowserDialog, BrowserTab, BrowserTabEvents, CdpTarget, ConsoleMessage } from 'svc/sdk/web'
import type { CdpSession, Params } from './cdp.ts'
import { ConsoleLog } from './console-log.ts'
import { type DialogPolicy, Dialogs } from './dialogs.ts'
import type { Refusal } from './request-gate.ts'

/** A page is not read further than this. */
const LONGEST_DOCUMENT = 5 * 1024 * 1024

export class Tab implements BrowserTab {
  readonly id: string
  readonly session: CdpSession
  url = 'about:blank'
  page = 0
  crashed = false
  cut = false
  readonly #dialogs: Dialogs
  readonly #console = new ConsoleLog()
  readonly #closeTarget: () => Promise<void>
  #gone = false
  #refusal: Refusal | undefined
  #download: string | undefined
  readonly #clock: Clock
  /** Frames with a separate process, and therefore a separate session. */
  readonly #sessions = new Map<string, CdpSession>()
  readonly #parents = new Map<string, string>()
  readonly #loading = new Set<string>()
  readonly #received = new Map<string, number>()
  readonly #waiters = new Set<() => void>()

  constructor(
    id: string,
    session: CdpSession,
    options: { readonly clock: Clock; readonly dialogs: DialogPolicy; readonly close: () => Promise<void> },
  ) {
    const { clock, dialogs, close } = options
    this.id = id
    this.session = session
    this.#clock = clock
    this.#closeTarget = close
    this.#dialogs = new Dialogs(clock, dialogs, () => this.#changed())
    this.#follow(session)
  }

  get dialog(): BrowserDialog | undefined {
    return this.#dialogs.open
  }

  get messages(): readonly ConsoleMessage[] {
    return this.#console.entries
  }

  get lostMessages(): number {
    return this.#console.lost
  }

  get frames(): readonly string[] {
    return [this.id, ...this.#parents.keys()]
  }

  clearMessages(): void {
    this.#console.clear()
  }

  takeNotes(): BrowserTabEvents {
    const [refused, download] = [this.#refusal, this.#download]
    this.#refusal = undefined
    this.#download = undefined
    const refusal = refused && { ...refused, isMainFrame: refused.frameId === this.id }
    return { refusal, download, dialogs: this.#dialogs.takeNotes() }
  }

  /** Takes note of a request that was not let through. */
  refused(refusal: Refusal): void {
    if (refusal.isDocument) this.#refusal = refusal
    else this.warn(`not loaded: ${refusal.url}: ${refusal.reason}`)
  }

  /** Puts something of ours among the messages of the page. */
  warn(text: string): void {
    this.#console.add('warning', text)
  }

  answer(action: 'accept' | 'dismiss', text?: string): Promise<BrowserDialog> {
    return this.#dialogs.answer(action, text)
  }

  leave<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#dialogs.leave(work)
  }

  close(): Promise<void> {
    return this.#closeTarget()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  target(frameId: string = this.id): CdpTarget {
    const own = this.#sessions.get(frameId)
    if (own) return own
    const parent = this.#parents.get(frameId)
    return parent === undefined ? this.session : this.target(parent)
  }

  parentOf(frameId: string): string | undefined {
    return this.#parents.get(frameId)
  }

  addFrame(frameId: string, session: CdpSession): void {
    this.#sessions.set(frameId, session)
    this.#follow(session)
  }

  removeFrame(sessionId: string): void {
    for (const [frameId, { id }] of this.#sessions) if (id === sessionId) this.#sessions.delete(frameId)
  }

  async ask<Result>(work: () => Promise<Result>): Promise<Result> {
    const error = this.#hindrance()
    if (error) throw error
    let stop: () => void = () => undefined
    const stopped = new Promise<never>((_, reject) => {
      stop = this.#watch(() => {
        const error = this.#hindrance()
        if (error) reject(error)
      })
    })
    const done = work()
    // When the hindrance wins, what the work comes to is of no interest.
    done.catch(() => undefined)
    try {
      return await Promise.race([done, stopped])
    } finally {
      stop()
    }
  }

  settled(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#loading.size > 0 && !this.#hindrance()) return
        finish(this.#loading.size === 0)
      }
      const cancel = this.#clock.after(ms, () => finish(false))
      const stop = this.#watch(check)
      const finish = (loaded: boolean) => {
        cancel()
        stop()
        resolve(loaded)
      }
      check()
    })
  }

  /** It is closed, by us or by the page. */
  end(): void {
    this.#gone = true
    this.#dialogs.forget()
    this.#changed()
  }

  #hindrance(): SvcError | undefined {
    if (this.#gone) return new SvcError('BROWSER_TAB_GONE', 'The tab was closed. Navigate to a page to continue.')
    if (this.crashed) {
      return new SvcError('BROWSER_CRASHED', `The page ${this.url} crashed. Navigate to a page to open a new tab.`)
    }
    const { open } = this.#dialogs
    if (!open) return undefined
    const what = `The page shows a dialog (${open.type}): ${JSON.stringify(open.message)}`
    return new SvcError('BROWSER_DIALOG', `${what}. Answer the dialog first.`)
  }

  #watch(waiter: () => void): () => void {
    this.#waiters.add(waiter)
    return () => void this.#waiters.delete(waiter)
  }

  #changed(): void {
    for (const waiter of [...this.#waiters]) waiter()
  }

  #follow(session: CdpSession): void {
    session.listen((method, params) => {
      if (this.#console.receive(method, params)) return
      const domain = method.slice(0, method.indexOf('.'))
      if (domain === 'Network') this.#weigh(session, method, params)
      else if (method === 'Inspector.targetCrashed') {
        this.crashed = true
        this.#changed()
      } else if (domain === 'Page') this.#receive(session, method, params)
    })
  }

  #receive(session: CdpSession, method: string, params: Params): void {
    const { frameId = '', parentFrameId = '' } = params as { frameId?: string; parentFrameId?: string }
    if (method === 'Page.javascriptDialogOpening') this.#dialogs.opened(session, params)
    else if (method === 'Page.javascriptDialogClosed') this.#dialogs.closed()
    else if (method === 'Page.frameAttached') this.#parents.set(frameId, parentFrameId)
    else if (method === 'Page.frameDetached') this.#detached(frameId, params['reason'])
    else if (method === 'Page.frameStartedLoading') this.#loading.add(frameId)
    else if (method === 'Page.frameStoppedLoading') this.#loading.delete(frameId)
    else if (method === 'Page.downloadWillBegin') this.#refuseDownload(params)
    else if (method === 'Page.frameNavigated') this.#navigated(session, params)
    else return
    this.#changed()
  }

  #detached(frameId: string, reason: unknown): void {
    this.#loading.delete(frameId)
    // A swap moves the frame to another process: it stays where it is on the page.
    if (reason !== 'swap') this.#parents.delete(frameId)
  }

  #navigated(session: CdpSession, params: Params): void {
    const { frame } = params as { frame: { id: string; parentId?: string; url: string; urlFragment?: string } }
    this.#forgetChildFrames(frame.id)
    if (frame.parentId !== undefined || session.id !== this.session.id) return
    this.url = `${frame.url}${frame.urlFragment ?? ''}`
    this.page += 1
    this.#dialogs.reset()
    this.cut = false
  }

  #forgetChildFrames(parentId: string): void {
    for (const [frameId, parent] of this.#parents) {
      if (parent !== parentId) continue
      this.#parents.delete(frameId)
      this.#loading.delete(frameId)
      this.#forgetChildFrames(frameId)
    }
  }

  #refuseDownload(params: Params): void {
    const { guid, url, suggestedFilename } = params as { guid: string; url: string; suggestedFilename: string }
    this.#download = `${suggestedFilename} from ${url}`
    // In a context of our own the browser has refused it already.
    this.session.send('Browser.cancelDownload', { guid }).catch(() => undefined)
  }

  #weigh(session: CdpSession, method: string, params: Params): void {
    const { requestId, type, dataLength } = params as { requestId: string; type?: string; dataLength?: number }
    if (method === 'Network.requestWillBeSent' && type === 'Document') this.#received.set(requestId, 0)
    else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed')
      this.#received.delete(requestId)
    if (method !== 'Network.dataReceived') return
    const before = this.#received.get(requestId)
    if (before === undefined) return
    this.#received.set(requestId, before + (dataLength ?? 0))
    if (before + (dataLength ?? 0) <= LONGEST_DOCUMENT || before > LONGEST_DOCUMENT) return
    this.cut = true
    session.send('Page.stopLoading').catch(() => undefined)
  }
}
