/** Slash commands that change what people see. Each says what holds now and where that is kept. */
import type { PluginContext, SlashCommand, Translate } from 'svc/sdk'
import { Language } from 'svc/sdk/host'
import { Platforms } from 'svc/sdk/platform'
import type { ShownDisplay } from './display.ts'
import type { Choice, Setting } from './switch.ts'

type Context = Pick<PluginContext<never>, 'find' | 'all'>
type Words = Pick<SlashCommand, 'name' | 'aliases' | 'description' | 'argsHint' | 'subcommands' | 'surfaces'>

const SWITCH: readonly Choice[] = [{ id: 'off' }, { id: 'on' }]
const CATEGORY = 'Configuration'
const SKIN: Words = { name: 'skin', description: 'Show or change the look', argsHint: '[name]', surfaces: ['cli'] }
const VERBOSE: Words = {
  name: 'verbose',
  description: 'Show fewer or more of the tool calls',
  argsHint: '[off|new|all|verbose]',
  subcommands: ['off', 'new', 'all', 'verbose', 'status'],
}
const TIMESTAMPS: Words = {
  name: 'timestamps',
  aliases: ['ts'],
  description: 'Show or hide the time of messages',
  argsHint: '[on|off|status]',
  subcommands: ['on', 'off', 'status'],
  surfaces: ['cli'],
}
const FOOTER: Words = {
  name: 'footer',
  description: 'Show or hide the cost of a turn below its answer',
  argsHint: '[on|off|status]',
  subcommands: ['on', 'off', 'status'],
}
const INDICATOR: Words = {
  name: 'indicator',
  description: 'Change the spinner style',
  argsHint: '[kaomoji|emoji|unicode|ascii]',
  subcommands: ['kaomoji', 'emoji', 'unicode', 'ascii', 'status'],
  surfaces: ['cli'],
}
const BUSY: Words = {
  name: 'busy',
  description: 'Set what happens to messages sent while the agent works',
  argsHint: '[queue|steer|interrupt|status]',
  subcommands: ['queue', 'steer', 'interrupt', 'status'],
  surfaces: ['cli'],
}
const MOUSE: Words = {
  name: 'mouse',
  description: 'Capture the mouse, or leave selecting text to the terminal',
  argsHint: '[on|off|status]',
  subcommands: ['on', 'off', 'status'],
  surfaces: ['cli'],
}
const LANGUAGE: Words = {
  name: 'language',
  description: 'Show or change the language of the interface',
  argsHint: '[locale]',
}

/** Makes them. */
export function displayCommands(ctx: Context, display: ShownDisplay, t: Translate): SlashCommand[] {
  const make = (words: Words, setting: Setting, bare: 'choose' | 'cycle'): SlashCommand => ({
    ...words,
    category: CATEGORY,
    run: async (args, at) => (await import('./switch.ts'))[bare]({ display, t }, setting, args.trim(), at),
    complete: async (args) => (await import('./complete.ts')).complete(setting, words.subcommands ?? [], args),
  })
  return [
    make(SKIN, skins(display, t), 'choose'),
    make(VERBOSE, toolCallsShown(ctx, t), 'cycle'),
    make(TIMESTAMPS, timestamps(t), 'cycle'),
    make(FOOTER, { key: 'show_cost', kind: 'switch', title: () => t('Cost'), choices: async () => SWITCH }, 'cycle'),
    make(INDICATOR, indicators(display, t), 'choose'),
    make(BUSY, busyModes(t), 'choose'),
    make(MOUSE, { key: 'mouse', kind: 'switch', title: () => t('Mouse'), choices: async () => SWITCH }, 'cycle'),
    make(LANGUAGE, languages(ctx, t), 'choose'),
  ]
}

function skins(display: ShownDisplay, t: Translate): Setting {
  return {
    key: 'skin',
    title: () => t('Skin'),
    choices: async () => {
      await display.readSkins()
      return display.skins().map(({ name, description }) => ({ id: name, detail: description }))
    },
    caution: () =>
      display.skin().light ? t('It is made for a light background and is hard to read on a dark one.') : undefined,
  }
}

function toolCallsShown(ctx: Context, t: Translate): Setting {
  return {
    key: 'tool_progress',
    standard: (surface) => {
      const platform = ctx.all(Platforms).get(surface)
      return platform ? { tool_progress: platform.limits.toolProgress ?? 'off' } : {}
    },
    title: () => t('Tool calls'),
    choices: async () => [
      { id: 'off', detail: t('no tool calls are shown') },
      { id: 'new', detail: t('a call is shown if the tool differs from the previous one') },
      { id: 'all', detail: t('all tool calls are shown') },
      { id: 'verbose', detail: t('all tool calls are shown, with results') },
    ],
  }
}

function timestamps(t: Translate): Setting {
  return {
    key: 'timestamps',
    kind: 'switch',
    title: () => t('Time of messages'),
    choices: async () => [{ id: 'off' }, { id: 'on' }],
  }
}

function indicators(display: ShownDisplay, t: Translate): Setting {
  return {
    key: 'indicator',
    title: () => t('Indicator'),
    choices: async () => {
      const { getFaces } = await import('./spinner.ts')
      const ids = ['kaomoji', 'emoji', 'unicode', 'ascii'] as const
      return ids.map((id) => ({ id, detail: getFaces(display.shown.skin, id).slice(0, 4).join(' ') }))
    },
  }
}

function busyModes(t: Translate): Setting {
  return {
    key: 'busy_input_mode',
    title: () => t('A message during a turn'),
    choices: async () => [
      { id: 'interrupt', detail: t('stops the turn under way') },
      { id: 'queue', detail: t('waits until the turn is over') },
      { id: 'steer', detail: t('reaches the turn under way as a hint') },
    ],
  }
}

function languages(ctx: Context, t: Translate): Setting {
  return {
    key: 'language',
    title: () => t('Language'),
    choices: async (): Promise<readonly Choice[]> => {
      const known = ctx.find(Language)?.locales ?? [{ locale: 'en', label: 'English' }]
      return known.map(({ locale, label }) => ({ id: locale, label }))
    },
    match: (name) => ctx.find(Language)?.match(name),
    settle: async () => ctx.find(Language)?.ready(),
  }
}
