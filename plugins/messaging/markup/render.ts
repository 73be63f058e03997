/** Rows in the markup of a platform. */
import type { Delimiters, Markup } from 'svc/sdk/platform'
import { limitLevels } from './level.ts'
import { BULLET, type Row, type Run, type Style, type TextRow } from './rows.ts'

const NO_MARKS: Delimiters = ['', '']
const BULLET_TEXT = '- '

/** Rows as one text. Rows of one quotation, and lines of one fence, are put into their marks together. */
export function renderRows(all: readonly Row[], markup: Markup): string {
  const rows = limitLevels(all)
  let text = ''
  for (let from = 0; from < rows.length; ) {
    let end = from + 1
    while (end < rows.length && isSameGroup(rows[end - 1], rows[end])) end += 1
    const group = rows.slice(from, end)
    if (from > 0) text += isApart(rows[from - 1], rows[from]) ? '\n\n' : '\n'
    text += renderedGroup(group, markup)
    from = end
  }
  return text
}

export function isSameGroup(one: Row | undefined, other: Row | undefined): boolean {
  if (one?.kind === 'code') return other?.kind === 'code' && one.block === other.block
  return one !== undefined && other?.kind === 'text' && one.quote > 0 === other.quote > 0 && one.quote > 0
}

/** What follows a quotation closely would belong to it in some markups. */
export function isApart(one: Row | undefined, other: Row | undefined): boolean {
  return other?.gap === true || isQuote(one) !== isQuote(other)
}

const isQuote = (row: Row | undefined) => row?.kind === 'text' && row.quote > 0

function renderedGroup(rows: readonly Row[], markup: Markup): string {
  const [first] = rows
  if (first?.kind === 'code') {
    const code = rows.map((row) => codeLine(row, markup)).join('\n')
    return markup.fence ? markup.fence(code, first.language) : code
  }
  const lines = rows.map((row, at) => (at && row.gap ? '\n' : '') + (row.kind === 'text' ? textLine(row, markup) : ''))
  const text = lines.join('\n')
  return isQuote(first) ? quoteText(text, markup) : text
}

/** A line of code, without its fence. */
export function codeLine(row: Row, markup: Markup): string {
  const text = row.kind === 'code' ? row.text : ''
  return markup.fence ? escapedCode(text, markup) : escapeText(text, markup)
}

export function quoteText(text: string, markup: Markup): string {
  return markup.quote ? markup.quote(text) : text.replace(/^/gm, '> ')
}

/** A line of text, without the marks of its quotation; those of nested quotations are part of it. */
export function textLine(row: TextRow, markup: Markup): string {
  const before = createPrefix(row, markup)
  if (row.heading === 0) return before + renderedRuns(row.runs, markup)
  if (markup.heading) return before + markup.heading(renderedRuns(row.runs, markup), row.heading)
  return before + renderedRuns(row.runs.map(bold), markup)
}

function bold(run: Run): Run {
  return run.styles.includes('bold') ? run : { ...run, styles: ['bold', ...run.styles] }
}

function createPrefix({ quote, indent, mark }: TextRow, markup: Markup): string {
  const quotes = quote > 1 ? escapeText('> ', markup).repeat(quote - 1) : ''
  const shown = mark === BULLET ? (markup.bullet ?? BULLET_TEXT) : mark && escapeText(mark, markup)
  return quotes + ' '.repeat(indent) + shown
}

/** Runs with their marks. Marks never stand beside blanks, where many platforms do not see them. */
export function renderedRuns(runs: readonly Run[], markup: Markup): string {
  const parts = runs.flatMap(apart)
  let text = ''
  let open: readonly Style[] = []
  for (const [at, part] of parts.entries()) {
    const isBlank = isBlankRun(part)
    const styles = part.isCode ? [] : isBlank ? findSharedStyles(open, stylesAfter(parts, at)) : part.styles
    const kept = findSharedStyles(open, styles)
    text += closing(open.slice(kept.length), markup) + opening(styles.slice(kept.length), markup)
    text += isBlank ? part.text : renderedRun(part, markup)
    open = styles
  }
  return text + closing(open, markup)
}

/** One run without the marks of its styles. */
export function renderedRun(run: Run, markup: Markup): string {
  if (run.isCode) {
    if (!markup.code) return escapeText(run.text, markup)
    const [before, after] = markup.code
    return before + escapedCode(run.text, markup) + after
  }
  return run.link ? renderLink(run.link.address, run.link.runs, markup) : escapeText(run.text, markup)
}

function renderLink(address: string, runs: readonly Run[], markup: Markup): string {
  const text = renderedRuns(runs, markup)
  if (markup.link) return markup.link(text, (markup.escapeAddress ?? same)(address))
  const said = runs.map((run) => run.text).join('')
  return isSameAddress(said, address) ? text : `${text} ${escapeText(`(${address})`, markup)}`
}

export function isSameAddress(said: string, address: string): boolean {
  return said.trim() === address || `mailto:${said.trim()}` === address
}

const same = (text: string) => text
const isBlankRun = (run: Run) => !run.link && !run.isCode && run.text.trim() === ''

/** Blanks at the ends of a run as separate runs. */
function apart(run: Run): Run[] {
  if (run.link || run.isCode || run.styles.length === 0) return run.text === '' ? [] : [run]
  const core = run.text.trim()
  if (core === run.text || core === '') return run.text === '' ? [] : [run]
  const from = run.text.indexOf(core)
  const texts = [run.text.slice(0, from), core, run.text.slice(from + core.length)]
  return texts.filter((text) => text !== '').map((text) => ({ text, styles: run.styles }))
}

/** Blanks stand side by side at most twice: behind one run and before the next. */
function stylesAfter(parts: readonly Run[], at: number): readonly Style[] {
  const next = [parts[at + 1], parts[at + 2]].find((part) => part !== undefined && !isBlankRun(part))
  return next === undefined || next.isCode ? [] : next.styles
}

function findSharedStyles(one: readonly Style[], other: readonly Style[]): readonly Style[] {
  const differs = one.findIndex((style, at) => other[at] !== style)
  return differs < 0 ? one : one.slice(0, differs)
}

function opening(styles: readonly Style[], markup: Markup): string {
  return styles.map((style) => (markup[style] ?? NO_MARKS)[0]).join('')
}

function closing(styles: readonly Style[], markup: Markup): string {
  return styles
    .map((style) => (markup[style] ?? NO_MARKS)[1])
    .reverse()
    .join('')
}

export function escapeText(text: string, markup: Markup): string {
  return markup.escape ? markup.escape(text) : text
}

export function escapedCode(text: string, markup: Markup): string {
  return markup.escapeCode ? markup.escapeCode(text) : escapeText(text, markup)
}
