/** The texts of the interface: the catalogue of the terminal and what the page has besides. */

import { locales } from 'svc:locales'
import { formatMessage } from 'svc:message'
import { effect, signal } from '@preact/signals'
import { stored } from './api.ts'

export type Values = Readonly<Record<string, unknown>>

const RTL = new Set(['ar'])

/** What the user chose; empty: as the browser has it. */
export const chosenLanguage = stored('language', '')
/** The language that is shown; changes when its texts are there. */
export const language = signal('en')
const texts = signal<Readonly<Record<string, string>>>({})

/** The text of an English one in the language that is shown. Components that call it are drawn again when it changes. */
export function t(english: string, values?: Values): string {
  const message = texts.value[english] ?? english
  try {
    return formatMessage(language.value, message, values)
  } catch {
    return english
  }
}

function match(wanted: string): string {
  const tag = wanted.toLowerCase()
  if (/^zh-(hant|tw|hk|mo)/.test(tag)) return 'zh-hant'
  const found =
    locales.find(({ locale }) => locale === tag) ?? locales.find(({ locale }) => locale === tag.split('-')[0])
  return found?.locale ?? ''
}

async function speak(wanted: string): Promise<void> {
  const locale = match(wanted) || 'en'
  const load = locales.find((each) => each.locale === locale)?.load
  const table = load ? (await load()).default : {}
  if (wanted !== (chosenLanguage.value || preferred())) return
  texts.value = table
  language.value = locale
  document.documentElement.lang = locale
  document.documentElement.dir = RTL.has(locale) ? 'rtl' : 'ltr'
}

function preferred(): string {
  return navigator.languages.find((each) => match(each) !== '') ?? 'en'
}

// Without its texts a language is English: the connection is gone, and the next choice tries again.
effect(() => void speak(chosenLanguage.value || preferred()).catch(() => {}))

const second = 1000
const steps = [
  ['year', 31_536_000 * second],
  ['month', 2_592_000 * second],
  ['day', 86_400 * second],
  ['hour', 3_600 * second],
  ['minute', 60 * second],
] as const

/** `5 minutes ago`, in the language that is shown. Unix milliseconds. */
export function ago(at: number, now: number = Date.now()): string {
  const passed = at - now
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' })
  for (const [unit, size] of steps) if (Math.abs(passed) >= size) return format.format(Math.round(passed / size), unit)
  return format.format(0, 'second')
}

export function dateTime(at: number): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

export function number(value: number): string {
  return new Intl.NumberFormat(language.value, {
    maximumFractionDigits: 1,
    notation: value >= 100_000 ? 'compact' : 'standard',
  }).format(value)
}

export function dollars(value: number): string {
  const digits = value > 0 && value < 0.1 ? 4 : 2
  return new Intl.NumberFormat(language.value, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: digits,
  }).format(value)
}

export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']
  const at = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  const format = { style: 'unit', unit: units[at] ?? 'byte', unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(language.value, format).format(value / 1000 ** at)
}

/** Marks a text that is translated where it is shown. */
export function msg(english: string): string {
  return english
}
