/** What the web UI and the frame of a page tell each other over their port. */
import type { DashboardPageClient, DashboardPageState } from '../../../../../sdk/dashboard-pages.ts'

export interface FrameState extends DashboardPageState {
  readonly direction: 'ltr' | 'rtl'
}

type RequestArguments = Parameters<DashboardPageClient['request']>
type NotifyArguments = Parameters<DashboardPageClient['notify']>

export type ToFrame =
  | { readonly type: 'start'; readonly name: string; readonly state: FrameState }
  | { readonly type: 'state'; readonly state: FrameState }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string; readonly code: string }

export type FromFrame =
  | { readonly type: 'mounted' }
  /** The page could not be loaded or did not start. */
  | { readonly type: 'failed'; readonly message: string }
  /** Something went wrong later; the page is still there. */
  | { readonly type: 'fault'; readonly message: string }
  | {
      readonly type: 'request'
      readonly id: number
      readonly method: RequestArguments[0]
      readonly path: string
      readonly options: RequestArguments[2]
    }
  | { readonly type: 'call'; readonly id: number; readonly method: string; readonly params: object | undefined }
  | { readonly type: 'navigate'; readonly path: string }
  | { readonly type: 'notify'; readonly text: string; readonly tone: NotifyArguments[1] }
  /** A key with Ctrl or Command, which may be one of the web UI. */
  | { readonly type: 'key'; readonly key: string; readonly shiftKey: boolean }
