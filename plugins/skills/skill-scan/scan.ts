/** Scans a folder: every file as text in all its forms, and the folder as such. Runs nothing and makes no connection. */
import type { SkillScan } from 'svc/sdk/skills'
import { type ArchivedFile, readArchive } from './archives.ts'
import { listSkillFiles, type SkillFile } from './files.ts'
import { type Draft, raise, sortFindings, toVerdict } from './findings.ts'
import { hashFiles } from './hash.ts'
import { RULES } from './rules/all.ts'
import type { ScanRule } from './rules/rule.ts'
import { isArchive, isText, judgeContent, judgeFolder } from './structure.ts'
import { findHiddenText, type HiddenText, toPlainText } from './text/characters.ts'
import { isWarning } from './text/cues.ts'
import { decodeParts } from './text/decode.ts'
import { findFlows } from './text/flows.ts'
import { countLines, type Segment, toSegments } from './text/segments.ts'
import { joinLines, unfoldCode } from './text/unfold.ts'

const MAX_TEXT = 2 ** 19
const MAX_DEPTH = 3
const MAX_EXCERPT = 160
/** Longer lines are cut for the rules, so that none of them takes long. */
const MAX_LINE = 4000

export async function scanFolder(dir: string, signal?: AbortSignal): Promise<SkillScan> {
  const { files, isCut } = listSkillFiles(dir)
  const drafts = judgeFolder(files)
  if (isCut)
    drafts.push(
      createDraft(
        '',
        1,
        'too-many-files',
        'structure',
        'high',
        'has more files or deeper folders than a skill has',
        '',
      ),
    )
  for (const file of files) {
    signal?.throwIfAborted()
    if (file.kind === 'file') drafts.push(...scanReadable(file))
    // Others get their turn between two files.
    await new Promise((resolve) => setImmediate(resolve))
  }
  drafts.push(...judgeTogether(files))
  const findings = sortFindings(drafts)
  return { verdict: toVerdict(findings), findings, hash: hashFiles(dir, files) }
}

/** A file that cannot be read is a finding: it may hold anything. */
function scanReadable(file: SkillFile): Draft[] {
  try {
    return scanFile(file.path, file.read())
  } catch {
    return [createDraft(file.path, 1, 'unreadable', 'structure', 'high', 'cannot be read', '')]
  }
}

function scanFile(path: string, bytes: Buffer, depth = 0): Draft[] {
  if (isArchive(path, bytes) && depth < MAX_DEPTH) {
    const { files, findings } = readArchive(path, bytes)
    return [...findings, ...files.flatMap((file) => scanArchived(file, depth))]
  }
  if (!isText(bytes)) return /\.(?:png|jpe?g|gif|webp|pdf|mp3)$/i.test(path) ? scanText(path, findStrings(bytes)) : []
  return scanText(path, toText(bytes))
}

function scanArchived({ path, bytes }: ArchivedFile, depth: number): Draft[] {
  return [...judgeContent(path, bytes), ...scanFile(path, bytes, depth + 1)]
}

/** Comments of pictures and the like, which a model may be shown. */
function findStrings(bytes: Buffer): string {
  return (bytes.toString('latin1').match(/[\x20-\x7E\n]{24,}/g) ?? []).join('\n')
}

function toText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2)
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le')
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

function scanText(path: string, whole: string): Draft[] {
  const text = whole.slice(0, MAX_TEXT)
  const plain = toPlainText(text)
  const hidden = findHiddenText(text)
  return [
    ...hidden.flatMap((each) => reportHidden(path, each)),
    ...toSegments(path, plain).flatMap((segment) => scanSegment(path, segment, 0)),
    ...(whole.length > MAX_TEXT
      ? [createDraft(path, 1, 'unread-rest', 'structure', 'medium', 'is so long that its end was not looked at', '')]
      : []),
  ]
}

function createDraft(
  file: string,
  line: number,
  rule: string,
  group: string,
  severity: Draft['severity'],
  message: string,
  excerpt: string,
): Draft {
  return {
    rule,
    category: group,
    severity,
    path: file,
    line,
    message,
    excerpt: excerpt.replace(/\s+/g, ' ').trim().slice(0, MAX_EXCERPT),
  }
}

const HIDDEN: Readonly<Record<HiddenText['rule'], readonly [Draft['severity'], string]>> = {
  'unicode-tags': ['critical', 'has text in characters that are not shown'],
  'unicode-selectors': ['critical', 'has data in characters that are not shown'],
  'bidi-override': ['high', 'is shown in another order than it is read'],
  'bidi-isolate': ['high', 'is shown in another order than it is read'],
  'zero-width-letters': ['high', 'has words with characters in them that are not shown'],
  'zero-width-run': ['high', 'has a row of characters that are not shown'],
  'lookalike-letters': ['high', 'has words with letters that only look like others'],
  'styled-letters': ['medium', 'has words in letters that searches do not find'],
  'terminal-escape': ['high', 'has sequences that change what a terminal shows'],
}

function reportHidden(path: string, { rule, line, excerpt, says }: HiddenText): Draft[] {
  const [severity, message] = HIDDEN[rule]
  const inside = says
    ? toSegments('hidden.md', says).flatMap((segment) => scanSegment(path, { ...segment, line, kind: 'hidden' }, 1))
    : []
  return [
    createDraft(path, line, rule, 'hidden-text', severity, message, says ? `${excerpt}: ${says}` : excerpt),
    ...inside,
  ]
}

/** A segment in each of its forms: as written, unfolded, and what it contains in encoded form. */
function scanSegment(path: string, segment: Segment, depth: number): Draft[] {
  const found = matchRules(path, segment, segment.text)
  if (segment.kind === 'code' || /[\\`]/.test(segment.text)) {
    const views = [joinLines(segment.text), unfoldCode(segment.text)].filter(
      (view, at, all) => view !== segment.text && all.indexOf(view) === at,
    )
    found.push(...views.flatMap((view) => matchRules(path, segment, view)))
  }
  if (segment.kind === 'code') found.push(...reportFlows(path, segment))
  if (segment.kind === 'hidden') found.push(...reportComment(path, segment))
  if (depth < MAX_DEPTH) found.push(...scanDecoded(path, segment, depth))
  return found
}

function matchRules(path: string, segment: Segment, text: string): Draft[] {
  const searched = withoutPatterns(segment.kind, cutLines(text))
  const shown = { ...segment, text: searched }
  return RULES.filter((rule) => concerns(rule, segment)).flatMap((rule) => {
    return [...searched.matchAll(rule.pattern)].flatMap((match): Draft[] => {
      const weight = rule.weigh ? rule.weigh(match, searched) : rule.severity
      if (match[0] === '' || weight === undefined) return []
      const severity = toSeverity(weight, isWarning(shown, match.index, match[0].length, rule.cue ?? 'any'), segment)
      const line = segment.line + countLines(searched, match.index) - 1
      return [createDraft(path, line, rule.id, rule.group, severity, rule.message, match[0])]
    })
  })
}

/** What is hidden weighs more, data and warnings less. */
function toSeverity(weight: Draft['severity'], isShown: boolean, { kind }: Segment): Draft['severity'] {
  if (isShown || weight === 'low') return 'low'
  if (kind === 'hidden') return raise(weight)
  return kind === 'data' ? lower(weight) : weight
}

/** Code is judged in prose, too: a model runs what a sentence says. */
function concerns(rule: ScanRule, { kind }: Segment): boolean {
  if (kind === 'code') return rule.subject !== 'prose' || rule.group === 'injection'
  if (kind === 'data') return rule.subject !== 'code' || rule.severity === 'critical' || rule.severity === 'high'
  return true
}

/** Data is neither run nor followed, unless it says so very plainly. */
function lower(severity: Draft['severity']): Draft['severity'] {
  return severity === 'critical' || severity === 'high' ? severity : 'low'
}

function cutLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line))
    .join('\n')
}

/** What a program searches for is no command. */
function withoutPatterns(kind: Segment['kind'], text: string): string {
  if (kind === 'hidden') return text
  return text.replace(
    /\b(?:grep|egrep|rg|ag|ack|Select-String|findstr|git\s+grep)(?=\s)((?:\s+-{1,2}[\w=-]+(?:[= ](?:["'][^"'\n]*["']|\*\S+))?)*)\s+(["'])([^\n]*?)\2/gi,
    (found, flags: string, quote: string) => {
      return /-exec|\|\s*xargs/.test(flags)
        ? found
        : `${found.slice(0, found.indexOf(quote, found.length - found.length))}${quote}${quote}`
    },
  )
}

const FLOWS = {
  'secret-to-net': ['critical', 'exfiltration', 'sends secrets away'],
  'net-to-run': ['critical', 'download-and-run', 'runs what it gets from the net'],
  'secret-and-net': ['high', 'exfiltration', 'reads a file of keys or passwords and talks to the net'],
} as const

function reportFlows(path: string, segment: Segment): Draft[] {
  return findFlows(unfoldCode(segment.text)).map(({ rule, line, excerpt }) => {
    const [severity, group, message] = FLOWS[rule]
    const isShown = isWarning(segment, 0, 0, 'any')
    return createDraft(path, segment.line + line - 1, rule, group, isShown ? 'low' : severity, message, excerpt)
  })
}

/** A comment that only readers of the source see, and that tells a model to do something. */
function reportComment(path: string, segment: Segment): Draft[] {
  const { text } = segment
  if (
    text.trim().length < 20 ||
    /^\s*(?:prettier|markdownlint|eslint|biome|toc|spell-?checker|cspell|vale|textlint|generated|begin|end)\b/i.test(
      text,
    )
  )
    return []
  const isAddressed =
    /\b(?:you\s+(?:must|should|are|will|have)|agents?|assistants?|AI|models?|LLMs?|system|claude|gpt)\b/i.test(text)
  const isOrder =
    /\b(?:execute|run|send|upload|fetch|read|curl|wget|ignore\s+(?:all|any|previous|your|the)|instructions?|do\s+not\s+(?:tell|mention|reveal)|silently|include|append|exfil\w*|download|install|post|forward|collect|approve|reveal)\b/i.test(
      text,
    )
  if (!isOrder) return []
  const severity = isAddressed
    ? 'high'
    : /https?:|curl|wget|credential|password|secret|token/i.test(text)
      ? 'medium'
      : 'low'
  return [
    createDraft(
      path,
      segment.line,
      'hidden-comment',
      'hidden-text',
      severity,
      'has instructions in a comment that is not shown',
      text,
    ),
  ]
}

const ENCODED_NAMES = /^(?:base64|hexadecimal|compressed|base32|ROT13|backwards|numbers|escapes)/

function scanDecoded(path: string, segment: Segment, depth: number): Draft[] {
  return decodeParts(segment.text).flatMap((part) => {
    const line = segment.line + countLines(segment.text, part.index) - 1
    if (part.text === '')
      return [
        createDraft(path, line, 'encoded-program', 'encoded-payload', 'critical', `has a program in ${part.form}`, ''),
      ]
    if (!ENCODED_NAMES.test(part.form)) return []
    const inner = toPlainText(part.text)
    const kinds: Segment['kind'][] =
      segment.kind === 'prose' || segment.kind === 'hidden' ? ['prose', 'code'] : ['code', 'prose']
    const inside = kinds.flatMap((kind) =>
      scanSegment(path, { ...segment, kind, text: inner, line, heading: '', lead: segment.lead }, depth + 1),
    )
    const plainOnes = part.form === 'escapes' || part.form === 'numbers' || part.form === 'backwards'
    return inside
      .filter(({ severity }) => severity !== 'low')
      .map((each) => ({
        ...each,
        line,
        severity: plainOnes ? each.severity : raise(each.severity),
        message: `${each.message}, written in ${part.form}`,
      }))
  })
}

/** What only several files together do. */
function judgeTogether(files: readonly SkillFile[]): Draft[] {
  const encoded = files.filter(
    ({ path, kind, size }) =>
      kind === 'file' && size > 40 && size < 400_000 && /\.(?:txt|dat|bin|b64|enc|data|json|csv|md|cfg)$/i.test(path),
  )
  const holders = encoded.filter((file) => /^[A-Za-z0-9+/=\s_-]{60,}$/.test(file.read().toString('latin1').trim()))
  const scripts = files.filter(
    ({ path, kind }) => kind === 'file' && /\.(?:sh|bash|py|js|mjs|cjs|ts|ps1|rb|pl|bat)$/i.test(path),
  )
  return holders.flatMap((holder) => {
    const name = holder.path.split('/').at(-1) ?? ''
    const user = scripts.find((script) => {
      const text = script.read().toString('utf8')
      return (
        text.includes(name) &&
        /\b(?:exec|eval|Function|sh\b|bash|system|Invoke-Expression|iex|subprocess|spawn)/.test(text) &&
        /base64|b64|atob|hex|decode|decompress/i.test(text)
      )
    })
    return user
      ? [
          createDraft(
            user.path,
            1,
            'payload-file',
            'encoded-payload',
            'critical',
            `decodes ${holder.path} and runs it`,
            '',
          ),
        ]
      : []
  })
}
