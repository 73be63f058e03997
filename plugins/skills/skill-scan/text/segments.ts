/** Cuts a file into what is run, what is read as an instruction, and what is only data. */

export type SegmentKind = 'code' | 'prose' | 'hidden' | 'data'

/** A part of a file in one language. `hidden`: a comment that a reader of the rendered document does not see. */
export interface Segment {
  readonly kind: SegmentKind
  readonly text: string
  /** Line of its beginning in the file, from 1. */
  readonly line: number
  /** What introduces it: the nearest heading, and the sentence before a block of code. */
  readonly heading: string
  readonly lead: string
  /** A word for the language, as the fence or the name of the file has it. */
  readonly language: string
}

const CODE_FILE =
  /\.(?:sh|bash|zsh|fish|ksh|command|py|pyw|js|mjs|cjs|ts|mts|cts|jsx|tsx|ps1|psm1|psd1|bat|cmd|vbs|vbe|jse|wsf|hta|pl|pm|rb|php|lua|go|rs|java|kt|swift|c|cc|cpp|h|cs|scpt|applescript|r|jl|tcl|awk|sql|nix|gradle|groovy|mk|service|timer|plist|desktop|ipynb|reg|inf|tf)$/i
const CODE_NAME =
  /(?:^|\/)(?:makefile|dockerfile|containerfile|justfile|rakefile|gemfile|vagrantfile|procfile|jenkinsfile|\.bashrc|\.zshrc|\.profile|\.bash_profile|\.envrc|crontab|package\.json|setup\.cfg|pyproject\.toml|tasks\.json|settings\.json|hooks\.json|\.mcp\.json)$/i
const PROSE_FILE =
  /\.(?:md|mdx|markdown|rst|txt|adoc|org|html?|xml|svg)$|(?:^|\/)(?:readme|license|notice|changelog|agents|skill)$/i
const DATA_FENCE = /^(?:json|jsonc|yaml|yml|toml|csv|xml|html|css|diff|mermaid|ini|tex|latex)$/
const TEXT_FENCE = /^(?:text|txt|plaintext|markdown|md|prompt|output|log)$/

/** `interpreter` is what a first line `#!` names. */
export function toSegments(path: string, text: string): Segment[] {
  const isScript = /^#!/.test(text) || CODE_FILE.test(path) || CODE_NAME.test(path)
  if (isScript) return scriptSegments(path, text)
  if (PROSE_FILE.test(path)) return markdownSegments(text)
  const isData = /\.(?:json|jsonc|ya?ml|toml|csv|tsv|ini|cfg|conf|lock|env)$/i.test(path)
  return [plain(isData ? 'data' : 'prose', text, 1, extension(path))]
}

function plain(kind: SegmentKind, text: string, line: number, language = '', heading = '', lead = ''): Segment {
  return { kind, text, line, language, heading, lead }
}

function extension(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** The program without its comments, and the comments, which a model reads as well. */
function scriptSegments(path: string, text: string): Segment[] {
  const language = extension(path) || (/^#!.*\b(python|node|bash|sh|perl|ruby|pwsh)/.exec(text)?.[1] ?? '')
  const comments: string[] = []
  const isHash = /^(?:sh|bash|zsh|fish|ksh|py|pyw|ps1|psm1|pl|rb|r|mk|nix|tf|service|python|perl|ruby|pwsh|)$/.test(
    language,
  )
  const marker = isHash ? /(^|\s)#(?!!)(.*)$/ : /(^|\s)\/\/(.*)$/
  const code = text.split('\n').map((content) => {
    const whole = isHash ? /^\s*#(?!!)/.test(content) : /^\s*(?:\/\/|\*|\/\*|--|rem\b|::)/i.test(content)
    const found = whole
      ? content
      : (marker.exec(content.replace(/(["'])(?:(?!\1)[^\\]|\\.)*\1/g, (q) => '_'.repeat(q.length)))?.[2] ?? '')
    comments.push(found)
    return whole ? '' : content
  })
  const strings = isHash ? docStrings(text) : []
  return [plain('code', code.join('\n'), 1, language), plain('prose', comments.join('\n'), 1, language), ...strings]
}

function docStrings(text: string): Segment[] {
  return [...text.matchAll(/("""|''')([\s\S]{20,20000}?)\1/g)].map(({ 2: content = '', index }) => {
    return plain('prose', content, countLines(text, index), 'py')
  })
}

export function countLines(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

interface Reading {
  readonly segments: Segment[]
  heading: string
  prose: string[]
  start: number
}

const FENCE = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*\{?\.?([\w+#-]*)/

function markdownSegments(text: string): Segment[] {
  const { rest, comments } = takeComments(text)
  const reading: Reading = { segments: comments, heading: '', prose: [], start: 1 }
  const lines = rest.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const content = lines[at] ?? ''
    const fence = FENCE.exec(content)
    if (fence) {
      at = takeFence(reading, lines, at, fence[1] ?? '', (fence[2] ?? '').toLowerCase())
      continue
    }
    const heading = /^\s{0,3}#{1,6}\s+(.*)$/.exec(content) ?? /^\*\*([^*]+)\*\*:?\s*$/.exec(content)
    if (heading) {
      flush(reading, at + 1)
      reading.heading = heading[1] ?? ''
    }
    reading.prose.push(content)
  }
  flush(reading, lines.length + 1)
  return reading.segments
}

function flush(reading: Reading, next: number): string {
  const text = reading.prose.join('\n')
  if (text.trim()) reading.segments.push(plain('prose', text, reading.start, '', reading.heading))
  reading.prose = []
  reading.start = next
  return text
}

function takeFence(reading: Reading, lines: readonly string[], from: number, mark: string, language: string): number {
  const before = flush(reading, from + 1)
  const lead =
    before
      .trim()
      .split(/\n\s*\n/)
      .at(-1)
      ?.split('\n')
      .at(-1) ?? ''
  let end = from + 1
  while (end < lines.length && !(lines[end] ?? '').trim().replace(/^>\s*/, '').startsWith(mark)) end += 1
  const text = lines.slice(from + 1, end).join('\n')
  const kind = DATA_FENCE.test(language) ? 'data' : TEXT_FENCE.test(language) ? 'prose' : 'code'
  reading.segments.push(plain(kind, text, from + 2, language, reading.heading, lead))
  reading.start = end + 2
  return end
}

/** Comments of HTML and of Markdown, and elements that are not shown. Their lines stay empty in the rest. */
function takeComments(text: string): { rest: string; comments: Segment[] } {
  const comments: Segment[] = []
  const patterns = [
    /<!--([\s\S]*?)(?:-->|$)/g,
    /^\[(?:\/\/|comment|_|#)?\]:\s*(?:#|<>)\s*([("'].*)$/gim,
    /<(?:span|div|p|font|details|small)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|color\s*:\s*(?:white|#fff(?:fff)?|transparent)|\shidden\b)[^>]*>([\s\S]*?)<\//gi,
  ]
  let rest = text
  for (const pattern of patterns)
    rest = rest.replace(pattern, (found: string, content: string, index: number) => {
      const fences = text.slice(0, index).match(/^\s*(?:```|~~~)/gm)?.length ?? 0
      if (fences % 2 === 1) return found
      comments.push(plain('hidden', content, countLines(text, index)))
      return found.replace(/[^\n]/g, '')
    })
  return { rest, comments }
}
