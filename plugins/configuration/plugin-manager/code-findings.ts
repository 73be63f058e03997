/** What the code of a plugin does at first sight. Signs, not proofs: for people to look at before they agree. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listPluginFiles } from './folder.ts'

const MAX_BYTES = 2 ** 20

/** One sign, and the first place it was seen. */
export interface Finding {
  readonly what: string
  readonly file: string
  readonly line: number
  /** In how many lines it was seen. */
  readonly count: number
}

const signs: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['starts other programs', /\bchild_process\b|\bnode:cluster\b|\bnode-pty\b/],
  [
    'uses the network',
    /['"](node:)?(net|tls|dgram|dns|https?|http2)['"]|\bfetch\s*\(|\b(WebSocket|EventSource)\b|\buse\(\s*Net\b/,
  ],
  ['reads the environment of the process', /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[\s*['"]env['"]/],
  ['runs text as code', /\beval\s*\(|\bnew\s+Function\b|['"](node:)?vm['"]/],
  ['holds encoded text', /['"]base64(url)?['"]|\batob\s*\(|[A-Za-z0-9+/]{200}/],
  ['pipes a download into a shell', /\b(curl|wget)\b[^\n|]*\|\s*(sudo\s+)?(ba|da|z|k)?sh\b/],
]
const scripts = /"(pre|post)?install"\s*:/
const sources = /\.(ts|mts|cts|js|mjs|cjs|tsx|jsx|sh|py|json)$/
const compiled = /\.(node|so|dll|dylib|exe|wasm)$/

/** Looks at all sources of a folder, without its `node_modules`. */
export function scanFolder(dir: string): Finding[] {
  const found = new Map<string, Finding>()
  const note = (what: string, file: string, line: number) => {
    const first = found.get(what)
    found.set(what, first ? { ...first, count: first.count + 1 } : { what, file, line, count: 1 })
  }
  for (const { path: file, kind } of listPluginFiles(dir)) {
    if (kind === 'link') continue
    if (compiled.test(file)) note('brings compiled code', file, 1)
    if (!sources.test(file) || file.endsWith('package-lock.json') || statSync(join(dir, file)).size > MAX_BYTES)
      continue
    for (const [at, text] of readFileSync(join(dir, file), 'utf8').split('\n').entries())
      for (const what of findSigns(text, file)) note(what, file, at + 1)
  }
  return [...found.values()]
}

function findSigns(text: string, file: string): string[] {
  if (file === 'package.json' && scripts.test(text)) return ['has install scripts, which are not run']
  return file.endsWith('.json') ? [] : signs.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)
}
