/** How things are shown to people: the block `display` of config.yaml, and what was changed since. Plugin `display`. */

import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { Registration } from './plugin.ts'

/** The keys of the block. @since 0.1 */
export interface DisplaySettings {
  /** `tui`: the full screen; `cli`: a line in, an answer out. */
  readonly interface: 'tui' | 'cli'
  readonly language: string
  readonly skin: string
  readonly show_cost: boolean
  readonly show_reasoning: boolean
  readonly timestamps: boolean
  readonly statusbar: boolean
  /** Items of the status bar that are left out, by the names of `StatusItem.replaces`. */
  readonly hidden_status: readonly string[]
  readonly compact: boolean
  /** Which tool calls are shown: none, when the tool is another one than before, all, or all with their results. */
  readonly tool_progress: 'off' | 'new' | 'all' | 'verbose'
  /** Whether a call that is over says how long it took. */
  readonly tool_time: boolean
  readonly inline_diffs: boolean
  /** Whether a chat is shown what was understood of a voice message. */
  readonly transcripts: boolean
  readonly busy_input_mode: 'interrupt' | 'queue' | 'steer'
  readonly bell_on_complete: boolean
  readonly mouse: boolean
  /** How much of the conversation is shown when it is opened again. */
  readonly resume_display: 'full' | 'minimal' | 'none'
  readonly indicator: 'kaomoji' | 'emoji' | 'unicode' | 'ascii'
}

/** The role of a piece of text; the skin defines its style. @since 0.2 */
export type ThemeColor =
  | 'text'
  | 'dim'
  | 'title'
  | 'accent'
  | 'border'
  | 'prompt'
  | 'user'
  | 'answer'
  | 'reasoning'
  | 'heading'
  | 'code'
  | 'code-block'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'link'
  | 'quote'
  | 'tool'
  | 'ok'
  | 'warning'
  | 'error'
  | 'added'
  | 'removed'
  | 'selected'
  | 'status'
  | 'status-dim'
  | 'status-good'
  | 'status-warning'
  | 'status-bad'

/** How a role looks. Colours are `#rrggbb`. @since 0.1 */
export interface TextStyle {
  readonly color?: string
  readonly background?: string
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
}

/** A look. @since 0.2 */
export interface Theme {
  readonly name: string
  readonly description: string
  /** Made for a light background. */
  readonly light: boolean
  readonly colors: Readonly<Record<ThemeColor, TextStyle>>
  readonly spinner: { readonly faces: readonly string[]; readonly verbs: readonly string[] }
  readonly branding: {
    readonly name: string
    readonly welcome: string
    readonly goodbye: string
    readonly prompt: string
  }
  readonly toolPrefix: string
}

/** A theme of a plugin: what is left out is that of the default theme, of the light one with `light`. @since 0.2 */
export interface ThemeDefinition extends Ordered {
  /** As the user chooses it: `/skin <name>`. A file of the user and a built-in theme of this name take precedence. */
  readonly name: string
  /** Left out: the name. */
  readonly description?: string
  readonly light?: boolean
  /** A text is a colour: `#rrggbb`. */
  readonly colors: Readonly<Partial<Record<ThemeColor, TextStyle | string>>>
  readonly spinner?: Partial<Theme['spinner']>
  readonly branding?: Partial<Theme['branding']>
  readonly toolPrefix?: string
}

/** Themes that plugins bring. @since 0.2 */
export const Themes: ExtensionPoint<ThemeDefinition> = extensionPoint('themes', (theme) => theme.name, undefined, {
  problem: checkMembers({ name: 'string', description: 'string?', colors: 'object' }),
})

/** Provided by the plugin `display`. @since 0.1 */
export interface Display {
  /**
   * The effective settings, for a surface with its `display.platforms` overrides. `standard`: defaults there instead of general
   * unchanged values.
   */
  settings(surface?: string, standard?: Partial<DisplaySettings>): DisplaySettings
  /**
   * `now`: for this process; `saved`: in config.yaml, too, for `surface` alone if it overrides the key there.
   * Throws `DISPLAY_VALUE` for what the key does not take, `SKIN_UNKNOWN` or `SKIN_INVALID`, and what `ConfigFile.write`
   * throws; then nothing is changed.
   */
  set<Key extends keyof DisplaySettings>(
    key: Key,
    value: DisplaySettings[Key],
    keep: 'now' | 'saved',
    surface?: string,
  ): Promise<void>
  /** Also called when config.yaml was edited, and after the plugin was reloaded. */
  onChange(listener: () => void): Registration
  /**
   * The skin in force, its spinner with the faces of the indicator: the default one, and a problem that is reported, when
   * that of the settings cannot be used.
   */
  skin(): Theme
  skins(): readonly { readonly name: string; readonly description: string; readonly own: boolean }[]
}
export const Display: Service<Display> = defineService('display', { registers: ['onChange'], free: true })
