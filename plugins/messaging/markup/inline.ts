/** The content of a paragraph, as lines of runs. */
import type { MarkedToken, Token } from 'marked'
import { decode } from './entities.ts'
import type { Run, Style } from './rows.ts'

/** Deeper marks are shown as text. */
const MAX_DEPTH = 40
const BREAK = /^<br\s*\/?>$/i
const ABSOLUTE = /^(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*:[^\s]+$/i

/** Runs of tokens, in lines as they were written. */
export function splitIntoLines(tokens: readonly Token[]): Run[][] {
  const lines: Run[][] = [[]]
  for (const run of toRuns(tokens, [], 0)) {
    const [first = '', ...more] = run.link || run.isCode ? [run.text] : run.text.split('\n')
    if (first !== '') lines.at(-1)?.push(first === run.text ? run : { ...run, text: first })
    for (const text of more) lines.push(text === '' ? [] : [{ ...run, text }])
  }
  return lines.map(trimRuns).filter((line, _, all) => line.length > 0 || all.length === 1)
}

function toRuns(tokens: readonly Token[], styles: readonly Style[], depth: number): Run[] {
  // marked has no extensions here, so that these are all there are.
  return (tokens as readonly MarkedToken[]).flatMap((token) => {
    if (depth > MAX_DEPTH) return [{ text: token.raw, styles }]
    return toStyledRuns(token, styles, depth)
  })
}

function toStyledRuns(token: MarkedToken, styles: readonly Style[], depth: number): Run[] {
  const within = (style: Style) =>
    toRuns(('tokens' in token && token.tokens) || [], styles.includes(style) ? styles : [...styles, style], depth + 1)
  switch (token.type) {
    case 'text':
      return token.tokens ? toRuns(token.tokens, styles, depth + 1) : [{ text: decode(token.text), styles }]
    case 'strong':
      return within('bold')
    case 'em':
      return within('italic')
    case 'del':
      return within('strike')
    case 'codespan':
      return [{ text: token.text.replace(/\s*\n\s*/g, ' '), styles: [], isCode: true }]
    case 'br':
      return [{ text: '\n', styles }]
    case 'html':
      return [{ text: BREAK.test(token.text.trim()) ? '\n' : token.text, styles }]
    case 'link':
      return createLink(toRuns(token.tokens, [], depth + 1), token.href, styles)
    case 'image':
      return createLink([{ text: decode(token.text), styles: [] }], token.href, styles)
    case 'checkbox':
      return [{ text: token.checked ? '☑ ' : '☐ ', styles: [] }]
    default:
      return [{ text: 'text' in token ? token.text : token.raw, styles }]
  }
}

/** Where it leads is said: as a link where the address is whole, else in brackets. A text of a link is on one line. */
function createLink(inner: readonly Run[], href: string, styles: readonly Style[]): Run[] {
  const address = decode(href).replace(/\s/g, encodeURIComponent)
  const runs = inner.flatMap((run) => (run.link ? run.link.runs : [run])).map(inLink)
  const said = runs.map(({ text }) => text).join('')
  if (said.trim() === '') return address === '' ? [] : [linkTo(address, [{ text: address, styles: [] }], styles)]
  if (ABSOLUTE.test(address)) return [linkTo(address, runs, styles)]
  const where = address === '' || address === said ? '' : ` (${address})`
  return [...runs, { text: where, styles: [] }].map((run) => ({ ...run, styles: [...styles, ...run.styles] }))
}

function linkTo(address: string, runs: readonly Run[], styles: readonly Style[]): Run {
  return { text: runs.map(({ text }) => text).join(''), styles, link: { address, runs } }
}

/** Code within a link is more than most platforms understand. */
function inLink({ text, styles }: Run): Run {
  return { text: text.replace(/\s*\n\s*/g, ' '), styles }
}

/** Without blanks at its ends. */
export function trimRuns(line: readonly Run[]): Run[] {
  const runs = [...line]
  while (runs[0] && !runs[0].link && runs[0].text.trimStart() === '') runs.shift()
  while (runs.at(-1)?.text.trimEnd() === '' && !runs.at(-1)?.link) runs.pop()
  const [first] = runs
  if (first && !first.link && !first.isCode) runs[0] = { ...first, text: first.text.trimStart() }
  const last = runs.at(-1)
  if (last && !last.link && !last.isCode) runs[runs.length - 1] = { ...last, text: last.text.trimEnd() }
  return runs
}
