/**
 * What shows the pages. The launcher knows windows by this interface only, so a shell of another kind can stand in for the
 * browser in app mode.
 */

/** In pixels of the screen. */
export interface WindowBounds {
  readonly left?: number | undefined
  readonly top?: number | undefined
  readonly width: number
  readonly height: number
  readonly isMaximized?: boolean | undefined
}

export interface WindowOptions {
  readonly url: string
  /** Of its own: cookies, storage, settings. */
  readonly folder: string
  readonly bounds: WindowBounds
  onBounds(bounds: WindowBounds): void
  /** Its page has crashed and was loaded again, or not any more. */
  onCrash(isReloaded: boolean): void
}

export interface DesktopWindow {
  /** Resolves when a person has closed it, or its program has ended. */
  readonly closed: Promise<void>
  /** Whether `navigate` and `focus` do something. */
  readonly isControlled: boolean
  navigate(url: string): Promise<void>
  focus(): Promise<void>
  /** Pages of this origin get a script that runs before theirs, and may show notifications. */
  trust(origin: string, script: string): Promise<void>
  close(): Promise<void>
}

/** An entry of the menu in the tray. */
export interface TrayItem {
  readonly label: string
  run(): void
}

export interface Tray {
  close(): Promise<void>
}

export interface WindowShell {
  readonly name: string
  open(options: WindowOptions): Promise<DesktopWindow>
  /**
   * Shows an icon in the tray with a menu; undefined where the system has none. Left out: the shell has none to offer. A browser in app mode has
   * none, and nothing in Node shows one.
   */
  tray?(items: readonly TrayItem[]): Promise<Tray | undefined>
}
