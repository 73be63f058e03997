/** The settings in force: what config.yaml says, and what was set since for this process only. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage, type Registration, SvcError } from 'svc/sdk'
import { type ConfigFile, formatConfigPath } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import type { Display, DisplaySettings, Theme, ThemeDefinition } from 'svc/sdk/terminal'
import type { z } from 'zod'
import { type Config, isOfSurface, settings as schema } from './config.ts'
import { builtInSkin, builtInSkins, completeTheme, DEFAULT_SKIN, isSkinName } from './skins.ts'
import { getFaces } from './spinner.ts'

export interface DisplayDeps {
  /** Where users keep skins. */
  readonly skinFolder: string
  readonly file: () => Promise<ConfigFile | undefined>
  /** Those that plugins bring. */
  readonly themes: () => readonly ThemeDefinition[]
  /** Told of a skin of config.yaml that cannot be used, and of listeners that fail. */
  readonly report: (problem: Error) => void
}

type Key = keyof DisplaySettings
type Values = Partial<DisplaySettings>

const STANDARD: Readonly<Record<string, unknown>> = schema.parse({})
const KEYS = Object.keys(schema.shape) as Key[]

/** What outlives a generation of the plugin, which is replaced whenever its block of config.yaml changes. */
export interface DisplayState {
  config: Config
  now: Values
  skin: Theme
  own: readonly { readonly name: string; readonly description: string }[]
  readonly listeners: Set<() => void>
}

/** Contract: `Display` of the SDK. */
export class ShownDisplay implements Display {
  /** Shared with the generation before, so that listeners and holders of that one see the same. */
  readonly shown: DisplayState
  readonly #deps: DisplayDeps
  #made: { readonly of: Theme; readonly skin: Theme } | undefined

  constructor(config: Config, around: DisplayDeps, before?: ShownDisplay) {
    this.shown = before?.shown ?? { config, now: {}, skin: DEFAULT_SKIN, own: [], listeners: new Set() }
    this.#deps = around
  }

  settings(surface?: string, standard: Partial<DisplaySettings> = {}): DisplaySettings {
    const { config, now } = this.shown
    const { platforms, ...general } = config
    const special = surface !== undefined && Object.hasOwn(platforms, surface) ? platforms[surface] : undefined
    const set = Object.entries(special ?? {}).filter(([, value]) => value !== undefined)
    const fitting = Object.entries(standard).filter(([key]) => general[key as Key] === STANDARD[key as Key])
    // A stray Enter must not end the work of an hour; a chat does not show that a hint arrived.
    const busy_input_mode = surface === undefined || surface === 'cli' ? 'steer' : 'interrupt'
    const values = { ...general, ...Object.fromEntries(fitting), ...Object.fromEntries(set), ...now }
    return { ...values, busy_input_mode: values.busy_input_mode ?? busy_input_mode }
  }

  async set<Name extends Key>(
    key: Name,
    value: DisplaySettings[Name],
    keep: 'now' | 'saved',
    surface?: string,
  ): Promise<void> {
    const checked = check(key, value)
    const skin = key === 'skin' ? await this.#findSkin(String(checked)) : undefined
    if (keep === 'now') this.shown.now = { ...this.shown.now, [key]: checked }
    else await this.#save(key, checked, surface)
    if (skin) this.shown.skin = skin
    this.#tell()
  }

  /** Where `set` keeps a key for a surface, as one types it. */
  getPath(key: Key, surface?: string): string {
    return formatConfigPath(['display', ...getPath(this.shown.config, key, surface)])
  }

  onChange(listener: () => void): Registration {
    // A new function for each, so that a listener added twice is called twice and removed once.
    const each = () => listener()
    this.shown.listeners.add(each)
    return toRegistration(() => void this.shown.listeners.delete(each))
  }

  skin(): Theme {
    const { skin } = this.shown
    const faces = getFaces(skin, this.settings('cli').indicator)
    // Asked for at every picture: the same skin is the same object.
    if (this.#made?.of !== skin || this.#made.skin.spinner.faces !== faces)
      this.#made = { of: skin, skin: { ...skin, spinner: { ...skin.spinner, faces } } }
    return this.#made.skin
  }

  skins(): readonly { readonly name: string; readonly description: string; readonly own: boolean }[] {
    const own = this.shown.own.map((each) => ({ ...each, own: true }))
    const listed: { readonly name: string; readonly description: string; readonly own: boolean }[] = [...own]
    for (const { name, description = name } of [...builtInSkins, ...this.#deps.themes()])
      if (!listed.some((each) => each.name === name))
        listed.splice(-own.length || listed.length, 0, { name, description, own: false })
    return listed
  }

  /**
   * Takes over what config.yaml says now. What was set for this process stays, unless exactly that key was edited
   * since. A skin that cannot be used is reported, and the default one shown.
   */
  async adopt(config: Config): Promise<void> {
    const before = this.shown.config
    const kept = Object.entries(this.shown.now).filter(
      ([key]) => listConfigured(before, key) === listConfigured(config, key),
    )
    this.shown.config = config
    this.shown.now = Object.fromEntries(kept) as Values
    await this.#useSkin(this.settings().skin)
    this.#tell()
  }

  /** Looks again for the user's skins; problems of single ones are their descriptions. */
  async readSkins(): Promise<void> {
    const { ownSkinNames, readOwnSkin } = await import('./own-skin.ts')
    const describe = (name: string) => {
      try {
        return readOwnSkin(this.#deps.skinFolder, name)?.description ?? ''
      } catch (error) {
        return errorMessage(error)
      }
    }
    this.shown.own = ownSkinNames(this.#deps.skinFolder).map((name) => ({ name, description: describe(name) }))
  }

  async #useSkin(name: string): Promise<void> {
    try {
      this.shown.skin = await this.#findSkin(name)
    } catch (error) {
      this.shown.skin = DEFAULT_SKIN
      const text = `${errorMessage(error)} The default skin is shown instead.`
      this.#deps.report(new SvcError(errorCode(error), text, { cause: error }))
    }
  }

  /** Themes of plugins came or went: the one of the settings may be among them. */
  async followThemes(): Promise<void> {
    if (this.shown.skin.name === this.settings().skin && builtInSkin(this.shown.skin.name)) return
    await this.#useSkin(this.settings().skin)
    this.#tell()
  }

  /** A file of the user stands before a built-in skin of its name, and that before the theme of a plugin. */
  async #findSkin(name: string): Promise<Theme> {
    const { skinFolder } = this.#deps
    const isThere = isSkinName(name) && existsSync(join(skinFolder, `${name}.yaml`))
    const own = isThere ? (await import('./own-skin.ts')).readOwnSkin(skinFolder, name) : undefined
    const brought = this.#deps.themes().find((theme) => theme.name === name)
    const found = own ?? builtInSkin(name) ?? (brought && completeTheme(brought))
    if (found) return found
    throw new SvcError('SKIN_UNKNOWN', `There is no skin "${name}". \`/skin\` lists them.`, { status: 404 })
  }

  async #save(key: Key, value: unknown, surface: string | undefined): Promise<void> {
    const file = await this.#deps.file()
    if (!file) throw new SvcError('DISPLAY_NO_WRITER', 'Nothing here can write config.yaml.', { status: 503 })
    const path = getPath(this.shown.config, key, surface)
    await file.write([{ path: formatConfigPath(['display', ...path]), value }], {
      author: 'display',
      reason: path.join('.'),
    })
    this.shown.config = withValue(this.shown.config, path, value)
    const { [key]: _, ...now } = this.shown.now
    this.shown.now = now as Values
  }

  #tell(): void {
    for (const listener of [...this.shown.listeners]) {
      try {
        listener()
      } catch (error) {
        this.#deps.report(new Error(`A listener of the display failed: ${errorMessage(error)}`, { cause: error }))
      }
    }
  }
}

/** The value as its key takes it; throws `DISPLAY_VALUE`. */
function check(key: Key, value: unknown): unknown {
  const result = KEYS.includes(key) ? (schema.shape[key] as z.ZodType).safeParse(value) : undefined
  if (result?.success && value !== undefined) return result.data
  const why = result ? (result.error?.issues[0]?.message ?? 'nothing is given') : 'there is no such key'
  throw new SvcError('DISPLAY_VALUE', `display.${key} cannot be ${JSON.stringify(value)}: ${why}.`, { status: 422 })
}

/** All that is written for a key, to be compared. */
function listConfigured({ platforms, ...general }: Config, key: string): string {
  const special = Object.entries(platforms).map(([surface, values]) => [surface, (values as Values)[key as Key]])
  return JSON.stringify([general[key as Key], ...special])
}

/**
 * If a surface overrides the key, the override is changed: the general value has no effect on it. What a user
 * sets in a chat holds for that platform, not for terminals and other platforms.
 */
function getPath({ platforms }: Config, key: Key, surface: string | undefined): readonly string[] {
  if (surface === undefined) return [key]
  const special = Object.hasOwn(platforms, surface) ? platforms[surface] : undefined
  const isOwn = (special as Values | undefined)?.[key] !== undefined || (surface !== 'cli' && isOfSurface(key))
  return isOwn ? ['platforms', surface, key] : [key]
}

function withValue<Block extends object>(
  block: Block,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): Block {
  const inner = (block as Readonly<Record<string, unknown>>)[first]
  return { ...block, [first]: rest.length > 0 ? withValue((inner ?? {}) as object, rest, value) : value }
}
