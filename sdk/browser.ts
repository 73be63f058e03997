/** The browser that the model looks at pages with: Chromium, spoken to by the Chrome DevTools Protocol. */
import { defineService, type Service } from './declarations.ts'

/** A page, an out-of-process frame, or a worker. @since 0.2 */
export interface CdpTarget {
  /**
   * A command of https://chromedevtools.github.io/devtools-protocol/. Rejects with `BROWSER_PROTOCOL` (what the browser
   * said), `BROWSER_TIMEOUT`, `BROWSER_TAB_GONE` or `BROWSER_GONE`.
   */
  send<Result = unknown>(method: string, params?: Readonly<Record<string, unknown>>): Promise<Result>
}

/** A dialog that everything else on its page waits for: `alert`, `confirm`, `prompt` or `beforeunload`. @since 0.1 */
export interface BrowserDialog {
  readonly type: string
  readonly message: string
  /** What a prompt begins with. */
  readonly suggestion: string
}

/** A line that a page wrote to its console, or an uncaught error. @since 0.2 */
export interface ConsoleMessage {
  readonly level: string
  readonly text: string
}

/** Events of a page that are not visible in its content. Each is reported once. @since 0.2 */
export interface BrowserTabEvents {
  /** Why the page, or a frame of it, was not let through. */
  readonly refusal: { readonly url: string; readonly reason: string; readonly isMainFrame: boolean } | undefined
  /** A file that the page wanted to be saved, and that was not. */
  readonly download: string | undefined
  /** Dialogs that were answered without the model. */
  readonly dialogs: readonly string[]
}

/** One tab. Its id is also that of its outermost frame. @since 0.1 */
export interface BrowserTab extends AsyncDisposable {
  readonly id: string
  readonly url: string
  /** Goes up with each page that is shown. */
  readonly page: number
  readonly crashed: boolean
  /** The document was longer than is read. */
  readonly cut: boolean
  readonly dialog: BrowserDialog | undefined
  readonly messages: readonly ConsoleMessage[]
  /** Messages that newer ones pushed out. */
  readonly lostMessages: number
  clearMessages(): void
  takeNotes(): BrowserTabEvents
  /** Ids of its frames, the outermost first. */
  readonly frames: readonly string[]
  /** Where the outermost frame, or another one, takes commands. */
  target(frameId?: string): CdpTarget
  parentOf(frameId: string): string | undefined
  /** Runs work that ends with `BROWSER_DIALOG`, `BROWSER_CRASHED` or `BROWSER_TAB_GONE` as soon as it has to wait for that. */
  ask<Result>(work: () => Promise<Result>): Promise<Result>
  /** Waits until nothing loads, at most `ms`, not while a dialog is open. Whether it is loaded. */
  settled(ms: number): Promise<boolean>
  /** Throws `BROWSER_NO_DIALOG`. Resolves to what was answered. */
  answer(action: 'accept' | 'dismiss', text?: string): Promise<BrowserDialog>
  /** Runs work that leaves the page: its dialogs are dismissed. */
  leave<Result>(work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The tabs that one conversation has open. Cookies and storage are its own, unless the browser is the user's. @since 0.1 */
export interface BrowserSession {
  /** The newest first; the first one is what commands are for. A window that a page opens becomes a tab. */
  readonly tabs: readonly BrowserTab[]
  openTab(): Promise<BrowserTab>
  /**
   * Runs a command when those before it are done, within `browser.command_timeout`. Rejects with `BROWSER_TIMEOUT` or the
   * signal's reason, and stops what loads then.
   */
  run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
}

/**
 * Provided by the plugin `browser`. Started with the first session, closed with the last: a session ends when it was not
 * used for `browser.inactivity_timeout`. Everything any page asks of the network goes through `SafeFetch`.
 * @since 0.1
 */
export interface Browser {
  /** Why none can be started; undefined when one can. Cheap. */
  missing(): string | undefined
  /** Whether the model may run JavaScript in pages: `browser.unsafe_evaluate`. */
  readonly mayEvaluate: boolean
  /** The session, begun when it has not. Throws `BROWSER_MISSING`, `BROWSER_START`, `BROWSER_CONNECT` or `BROWSER_TOO_MANY`. */
  open(sessionId: string): Promise<BrowserSession>
  /** The session; throws `BROWSER_NO_PAGE` when it has not begun. */
  session(sessionId: string): Promise<BrowserSession>
}
export const Browser: Service<Browser> = defineService('browser')
