/** One running browser: hands its targets to the conversations they belong to, each behind the gate from its first request. */
import { type Clock, type Logger, SvcError } from 'svc/sdk'
import { CdpConnection, type CdpSession, type OpenWire, type Params } from './cdp.ts'
import type { DialogPolicy } from './dialogs.ts'
import { RequestGate } from './request-gate.ts'
import { Tab } from './tab.ts'

const MAX_TABS = 10
/** Parts of a target's news that a tab wants. */
const DOMAINS = ['Page', 'Runtime', 'Log', 'DOM'] as const
const ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }

export interface EngineDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly commandMs: number
  readonly dialogs: DialogPolicy
  check(url: string): Promise<void>
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly openerId?: string
  readonly browserContextId?: string
}

/** The tabs of one conversation. */
export class Pages {
  readonly #close: (tabs: readonly Tab[]) => Promise<void>
  readonly #open: () => Promise<Tab>
  #tabs: Tab[] = []

  constructor(open: () => Promise<Tab>, close: (tabs: readonly Tab[]) => Promise<void>) {
    this.#open = open
    this.#close = close
  }

  /** The newest first. */
  get all(): readonly Tab[] {
    return this.#tabs
  }

  open(): Promise<Tab> {
    return this.#open()
  }

  add(tab: Tab): void {
    this.#tabs.unshift(tab)
  }

  remove(tab: Tab): void {
    tab.end()
    this.#tabs = this.#tabs.filter((other) => other !== tab)
  }

  async close(): Promise<void> {
    const tabs = this.#tabs
    for (const tab of [...tabs]) this.remove(tab)
    await this.#close(tabs)
  }
}

export class Engine {
  readonly #deps: EngineDeps
  readonly #connection: CdpConnection
  readonly #gate: RequestGate
  /** A browser that svc started: each conversation gets a context with its own cookies and storage. */
  readonly #isOwn: boolean
  readonly #mark: () => string
  readonly #tabs = new Map<string, Tab>()
  readonly #contexts = new Map<string, Pages>()
  readonly #marks = new Map<string, Pages>()
  readonly #owners = new Map<Tab, Pages>()
  readonly #ready = new WeakMap<Tab, Promise<void>>()

  /** `mark` creates unguessable marks, which distinguish our tabs from those of the user. */
  constructor(open: OpenWire, deps: EngineDeps, kind: { readonly isOwn: boolean; readonly mark: () => string }) {
    this.#deps = deps
    this.#isOwn = kind.isOwn
    this.#mark = kind.mark
    this.#gate = new RequestGate(deps)
    this.#connection = new CdpConnection(open, deps.clock, deps.commandMs)
    this.#listen(this.#connection.browser, undefined)
  }

  get closed(): Promise<string> {
    return this.#connection.closed
  }

  /** Ready to open pages; resolves to the browser's name and version. */
  async start(): Promise<string> {
    const { browser } = this.#connection
    const { product } = await browser.send<{ product: string }>('Browser.getVersion')
    await browser.send('Target.setAutoAttach', ATTACH)
    return product
  }

  /** A place for one conversation. */
  async openPages(): Promise<Pages> {
    return this.#isOwn ? this.#openContext() : this.#openAmongTheUsers()
  }

  close(): void {
    this.#connection.close()
  }

  async #openContext(): Promise<Pages> {
    const { browser } = this.#connection
    const { browserContextId } = await browser.send<{ browserContextId: string }>('Target.createBrowserContext', {
      disposeOnDetach: true,
    })
    await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
    // To grant nothing is to refuse all, without asking.
    await browser.send('Browser.grantPermissions', { permissions: [], browserContextId })
    const open = () => this.#openTab(pages, { url: 'about:blank', browserContextId })
    const pages: Pages = new Pages(open, async () => {
      this.#contexts.delete(browserContextId)
      await browser.send('Target.disposeBrowserContext', { browserContextId })
    })
    this.#contexts.set(browserContextId, pages)
    return pages
  }

  async #openAmongTheUsers(): Promise<Pages> {
    const { browser } = this.#connection
    const open = async () => {
      const url = `about:blank#${this.#mark()}`
      this.#marks.set(url, pages)
      try {
        return await this.#openTab(pages, { url })
      } finally {
        this.#marks.delete(url)
      }
    }
    const pages: Pages = new Pages(open, async (tabs) => {
      await Promise.all(tabs.map((tab) => browser.send('Target.closeTarget', { targetId: tab.id })))
    })
    return pages
  }

  async #openTab(pages: Pages, params: Params): Promise<Tab> {
    const { browser } = this.#connection
    const { targetId } = await browser.send<{ targetId: string }>('Target.createTarget', params)
    const tab = pages.all.find((each) => each.id === targetId)
    if (!tab) throw new SvcError('BROWSER_TAB_GONE', 'The new tab was closed at once. Try again.')
    // To leave the empty page while it is prepared looks like a crash.
    await this.#ready.get(tab)
    return tab
  }

  #listen(session: CdpSession, tab: Tab | undefined): void {
    session.listen((method, params) => {
      if (method === 'Target.attachedToTarget') {
        const { sessionId, targetInfo } = params as { sessionId: string; targetInfo: TargetInfo }
        void this.#attached(this.#connection.session(sessionId), targetInfo, tab)
      } else if (method === 'Target.detachedFromTarget') this.#detached((params as { sessionId: string }).sessionId)
    })
  }

  async #attached(session: CdpSession, info: TargetInfo, parent: Tab | undefined): Promise<void> {
    try {
      if (info.type === 'page') await this.#attachedPage(session, info)
      else if (parent && info.type === 'iframe') await this.#prepare(session, parent, info.targetId)
      else await this.#attachedOther(session, info, parent)
    } catch (error) {
      // A target that went away while it was prepared is of no interest.
      this.#deps.log.debug('a browser target could not be prepared', { type: info.type, error: String(error) })
    }
  }

  async #attachedPage(session: CdpSession, info: TargetInfo): Promise<void> {
    const pages = this.#findOwner(info)
    if (!pages) return this.#letGo(session)
    const { clock, dialogs } = this.#deps
    const close = async () => {
      await this.#connection.browser.send('Target.closeTarget', { targetId: info.targetId })
      pages.remove(tab)
    }
    const tab = new Tab(info.targetId, session, { clock, dialogs, close })
    if (pages.all.length >= MAX_TABS) {
      pages.all[0]?.warn(`a window was not opened: there are ${MAX_TABS} tabs already`)
      return close()
    }
    this.#owners.set(tab, pages)
    pages.add(tab)
    const ready = this.#prepare(session, tab, undefined)
    this.#ready.set(tab, ready)
    await ready
  }

  #findOwner({ openerId, browserContextId = '', url }: TargetInfo): Pages | undefined {
    const opener = [...this.#owners].find(([tab]) => tab.id === openerId)
    return this.#contexts.get(browserContextId) ?? this.#marks.get(url) ?? opener?.[1]
  }

  /** Workers ask the network too: those of a page by way of it, the others behind a separate gate. */
  async #attachedOther(session: CdpSession, info: TargetInfo, parent: Tab | undefined): Promise<void> {
    const isOurs = parent !== undefined || this.#contexts.has(info.browserContextId ?? '')
    if (!isOurs || !info.type.includes('worker')) return this.#letGo(session)
    const gate = this.#gate.attach(session, () => undefined)
    await (parent === undefined ? gate : gate.catch(() => undefined))
    await session.send('Runtime.runIfWaitingForDebugger')
  }

  async #letGo(session: CdpSession): Promise<void> {
    await session.send('Runtime.runIfWaitingForDebugger').catch(() => undefined)
    await this.#connection.browser.send('Target.detachFromTarget', { sessionId: session.id })
  }

  /** The target stands still until the last command: the gate is there before its first request. */
  async #prepare(session: CdpSession, tab: Tab, frameId: string | undefined): Promise<void> {
    this.#tabs.set(session.id ?? '', tab)
    if (frameId !== undefined) tab.addFrame(frameId, session)
    this.#listen(session, tab)
    const gate = this.#gate.attach(session, (refusal) => tab.refused(refusal))
    const commands = [
      ...DOMAINS.map((domain) => session.send(`${domain}.enable`)),
      session.send('Network.enable', { maxTotalBufferSize: 1_000_000, maxResourceBufferSize: 500_000 }),
      session.send('Target.setAutoAttach', ATTACH),
      ...(frameId === undefined ? [session.send('Emulation.setFocusEmulationEnabled', { enabled: true })] : []),
    ]
    const done = Promise.all(commands)
    // Awaited below; until then a failure is not unhandled.
    done.catch(() => undefined)
    try {
      await gate
    } catch (error) {
      // Without the gate it must not run: to let it go would let it run.
      await tab.close()
      throw error
    }
    await session.send('Runtime.runIfWaitingForDebugger')
    await done
  }

  #detached(sessionId: string): void {
    this.#connection.endSession(sessionId)
    const tab = this.#tabs.get(sessionId)
    this.#tabs.delete(sessionId)
    if (!tab) return
    if (tab.session.id === sessionId) {
      this.#owners.get(tab)?.remove(tab)
      this.#owners.delete(tab)
    } else tab.removeFrame(sessionId)
  }
}
