/** Colours of code. */
import type { StyledSpan, ThemeColor } from 'svc/sdk/terminal'
import { grammars, highlighter } from './highlight-js.js'

/** What the parts of a grammar are called: https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html */
const roles: Readonly<Record<string, ThemeColor>> = {
  keyword: 'keyword',
  built_in: 'type',
  type: 'type',
  literal: 'number',
  number: 'number',
  regexp: 'string',
  string: 'string',
  symbol: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  meta: 'comment',
  title: 'function',
  function: 'function',
  class: 'type',
  attr: 'function',
  attribute: 'function',
  property: 'function',
  section: 'heading',
  tag: 'keyword',
  name: 'keyword',
  'selector-tag': 'keyword',
  'selector-id': 'type',
  'selector-class': 'type',
  'selector-attr': 'type',
  'selector-pseudo': 'type',
  'template-tag': 'keyword',
  bullet: 'keyword',
  code: 'string',
  link: 'string',
  addition: 'added',
  deletion: 'removed',
}
const PART = /<span class="([^"]*)">|(<\/span>)|&(amp|lt|gt|quot|#x27);|[^<&]+/g
const escaped: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** Spans of clean code, line feeds inside. */
export function highlight(code: string, language: string): StyledSpan[] {
  const spans: { text: string; role: ThemeColor }[] = []
  const around: ThemeColor[] = ['code-block']
  for (const [whole, classes, end, reference] of highlightCode(code, language).value.matchAll(PART)) {
    const role = around.at(-1) ?? 'code-block'
    const last = spans.at(-1)
    const text = reference === undefined ? whole : escaped[reference]
    if (classes !== undefined) around.push(getRole(classes) ?? role)
    else if (end !== undefined) around.pop()
    else if (last?.role === role) last.text += text
    else spans.push({ text: text ?? '', role })
  }
  return spans
}

/** Whether nothing is open at the end: no comment, no string. */
export function rests(code: string, language: string): boolean {
  return highlightCode(code, language)._top?.parent === undefined
}

function highlightCode(code: string, language: string) {
  const grammar = grammars[language]
  if (grammar && !highlighter.getLanguage(language)) highlighter.registerLanguage(language, grammar)
  return highlighter.highlight(code, { language, ignoreIllegals: true })
}

/** `hljs-title function_`: the second word is nearer. */
function getRole(classes: string): ThemeColor | undefined {
  const [first = '', second = ''] = classes.replace('hljs-', '').split(' ')
  if (first === 'subst') return 'code-block'
  return second === 'class_' ? 'type' : roles[first]
}
