/** What the slash commands do: show what a setting is, offer what it may be, change and save it. */
import { distance } from 'fastest-levenshtein'
import { type CommandContext, errorCode, errorMessage, type Translate } from 'svc/sdk'
import type { DisplaySettings } from 'svc/sdk/terminal'
import type { ShownDisplay } from './display.ts'

/** One of the values that a setting may have. */
export interface Choice {
  readonly id: string
  readonly label?: string
  readonly detail?: string
}

/** A setting that is one of several. */
export interface Setting {
  readonly key: keyof DisplaySettings
  readonly title: () => string
  readonly choices: () => Promise<readonly Choice[]>
  /** `on` and `off` stand for true and false. */
  readonly kind?: 'switch'
  /** The choice that a name stands for which is not the id of one. */
  readonly match?: (name: string) => string | undefined
  /** What holds on a surface for which nothing is set. */
  readonly standard?: (surface: string) => Partial<DisplaySettings>
  /** What to know about the choice that was made. */
  readonly caution?: () => string | undefined
  /** Waits until the change is seen, so that the answer shows it. */
  readonly settle?: () => Promise<void>
}

/** Who changes it, and says so. */
export interface SwitchDeps {
  readonly display: ShownDisplay
  readonly t: Translate
}

/** Shows or changes it: `status`, the name of a choice, or nothing to be offered all of them. */
export async function choose(
  deps: SwitchDeps,
  setting: Setting,
  args: string,
  at: CommandContext,
): Promise<string | undefined> {
  if (args === 'status') return state(deps, setting, at)
  const choices = await setting.choices()
  if (args !== '') return pick(deps, setting, choices, args, at)
  const current = getCurrentValue(deps, setting, at)
  if (!at.person.isReachable) return `${state(deps, setting, at)}\n\n${formatChoices(choices, current)}`
  const items = choices.map(({ id, label, detail }) => ({ id, label: label ?? id, ...(detail && { detail }) }))
  const chosen = await at.person.choose({ title: setting.title(), items, current }, { signal: at.signal })
  return chosen === undefined ? undefined : change(deps, setting, chosen, at)
}

/** Switches to the next choice, or to the named one. */
export async function cycle(
  deps: SwitchDeps,
  setting: Setting,
  args: string,
  at: CommandContext,
): Promise<string | undefined> {
  if (args !== '') return choose(deps, setting, args, at)
  const ids = (await setting.choices()).map(({ id }) => id)
  const next = ids[(ids.indexOf(getCurrentValue(deps, setting, at)) + 1) % ids.length]
  return next === undefined ? undefined : change(deps, setting, next, at)
}

async function pick(
  deps: SwitchDeps,
  setting: Setting,
  choices: readonly Choice[],
  typed: string,
  at: CommandContext,
): Promise<string> {
  const ids = choices.map(({ id }) => id)
  const found =
    ids.find((id) => id === typed) ??
    ids.find((id) => id.toLowerCase() === typed.toLowerCase()) ??
    setting.match?.(typed)
  if (found !== undefined) return change(deps, setting, found, at)
  const near = findNearest(typed, ids)
  const said = deps.t('Unknown value {value}.', { value: code(typed) })
  const hint = near === undefined ? '' : ` ${deps.t('Did you mean {value}?', { value: code(near) })}`
  return `${said}${hint}\n\n${formatChoices(choices, getCurrentValue(deps, setting, at))}`
}

async function change(deps: SwitchDeps, setting: Setting, id: string, at: CommandContext): Promise<string> {
  const { display, t } = deps
  const { key } = setting
  const surface = at.conversation.front.surface
  const value = setting.kind === 'switch' ? id === 'on' : id
  const path = display.getPath(key, surface)
  try {
    await display.set(key, value as never, 'saved', surface)
  } catch (error) {
    if (/^(DISPLAY_VALUE|SKIN_)/.test(errorCode(error))) return errorMessage(error)
    await display.set(key, value as never, 'now')
    const values = { key: code(path), value: code(id), reason: errorMessage(error) }
    return t('{key} is {value} until svc ends. It could not be saved: {reason}', values)
  }
  await setting.settle?.()
  const values = { key: code(path), value: code(id), undo: code('svc config undo') }
  const said = t('{key} is {value} now, saved in config.yaml. {undo} takes it back.', values)
  const detail = (await setting.choices()).find((choice) => choice.id === id)?.detail
  return [said, detail && `${code(id)}: ${detail}`, setting.caution?.()].filter(Boolean).join('\n\n')
}

function state(deps: SwitchDeps, setting: Setting, at: CommandContext): string {
  const key = code(deps.display.getPath(setting.key, at.conversation.front.surface))
  return deps.t('{key} is {value}.', { key, value: code(getCurrentValue(deps, setting, at)) })
}

function getCurrentValue(deps: SwitchDeps, setting: Setting, at: CommandContext): string {
  const { surface } = at.conversation.front
  const value = deps.display.settings(surface, setting.standard?.(surface))[setting.key]
  return setting.kind === 'switch' ? (value ? 'on' : 'off') : String(value)
}

function formatChoices(choices: readonly Choice[], current: string): string {
  const lines = choices.map(({ id, label, detail }) => {
    const words = [label, detail].filter((part) => part !== undefined && part !== '').join(', ')
    return `- ${id === current ? `**${code(id)}**` : code(id)}${words === '' ? '' : ` ${words}`}`
  })
  return lines.join('\n')
}

/** The nearest name, when it is near enough that a typo is likely. */
function findNearest(typed: string, names: readonly string[]): string | undefined {
  const close = names
    .map((name) => ({ name, steps: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ steps }) => steps <= Math.max(2, typed.length / 3))
  return close.sort((one, other) => one.steps - other.steps)[0]?.name
}

/** As Markdown code, for any typed text. */
function code(text: string): string {
  return `\`${text.replace(/[`\p{Cc}]/gu, '')}\``
}
