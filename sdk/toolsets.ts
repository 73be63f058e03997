/** Which tools are on, and for whom: groups of tools that a user switches on and off. */
import type { ConfigEdit } from './config.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** A tool on one surface. @since 0.2 */
export interface ToolStatus {
  readonly name: string
  readonly on: boolean
  /** Why it cannot be offered although it is on. */
  readonly missing?: string
}

/** A toolset on one surface. @since 0.2 */
export interface ToolsetStatus {
  readonly name: string
  /** At least one of its tools is on. */
  readonly on: boolean
  /** The rule that switched it or one of its tools off, as a sentence's end: "tools.disabled names it". */
  readonly because?: string
  readonly tools: readonly ToolStatus[]
}

/** A toolset or tool, and which way it is to go. @since 0.2 */
export interface ToolToggle {
  readonly name: string
  readonly to: 'on' | 'off'
}

/** Provided by the plugin `toolsets`. @since 0.1 */
export interface Toolsets {
  /** Toolsets by name, each with its tools. */
  list(surface: string): readonly ToolsetStatus[]
  /**
   * What has to be written into config.yaml, everywhere or for one surface. Throws `TOOLSETS_UNKNOWN` for a name that
   * is neither a toolset nor a tool, and `TOOLSETS_CLOSED` for what a surface alone cannot switch on.
   */
  edits(switches: readonly ToolToggle[], surface?: string): readonly ConfigEdit[]
  /** Names in the configuration that no tool answers to. */
  unknown(): readonly string[]
}
export const Toolsets: Service<Toolsets> = defineService('toolsets')

/** One that does the work of a toolset. @since 0.2 */
export interface ToolsetBackend {
  /** What the setting holds. */
  readonly name: string
  readonly label: string
  /** Why it cannot be used now ("needs OPENAI_API_KEY"); undefined when it can. */
  readonly missing: string | undefined
  /** The plugin that it is from, if that is known: its manifest names the variables that it reads. */
  readonly plugin: string | undefined
}

/** That the work of a toolset is done by one of several, contributed to `ToolsetChoices`. @since 0.2 */
export interface ToolsetChoice extends Ordered {
  /** Of the toolset. */
  readonly name: string
  /** In config.yaml, where the name of the chosen one is; without it the first that can is asked: `image.backend`. */
  readonly setting: string
  backends(): readonly ToolsetBackend[]
}
/** @since 0.2 */
export const ToolsetChoices: ExtensionPoint<ToolsetChoice> = extensionPoint(
  'toolset-choices',
  (choice) => choice.name,
  undefined,
  { problem: checkMembers({ name: 'string', setting: 'string', backends: 'function' }) },
)
