/** Programs of sed and awk that only turn one text into another. */

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\[^\n]|[^/\\\n[]|\[\^?\]?[^\]/\n]*\])*/I?)`
const ADDRESSES = String.raw`(?:${ADDRESS}(?:,\s*(?:${ADDRESS}|[+~]\d+))?)?\s*!?\s*`
const START = new RegExp(`[\\s;]*${ADDRESSES}`, 'y')

/** No `e`, `w`, `r` and no flags that run or write. */
export function isHarmlessSed(script: string): boolean {
  let open = 0
  for (let at = 0; at < script.length; ) {
    START.lastIndex = at
    START.exec(script)
    at = Math.max(at, START.lastIndex)
    const command = script[at]
    if (command === undefined) break
    const length = measureCommand(script, at)
    if (length === 0) return false
    if (command === '{') open++
    if (command === '}') open--
    at += length
  }
  return open === 0
}

/** How long the command at this place is; 0 when it is not one of the harmless. */
function measureCommand(script: string, at: number): number {
  const command = script[at] as string
  if (command === '#') return script.slice(at).indexOf('\n') + 1 || script.length - at
  if ('{}'.includes(command)) return 1
  if ('pdq=nNhHgGxlDPz'.includes(command)) return /^.[ \t]*\d*(?=[\s;}]|$)/.exec(script.slice(at))?.[0].length ?? 0
  if (':btT'.includes(command)) return /^.[ \t]*[\w.-]*(?=[\s;}]|$)/.exec(script.slice(at))?.[0].length ?? 0
  if ('aic'.includes(command)) return /^.[^\n]*/.exec(script.slice(at))?.[0].length ?? 0
  return 'sy'.includes(command) ? substitution(script, at) : 0
}

function substitution(script: string, at: number): number {
  const mark = script[at + 1] ?? ''
  if (mark === '' || /[\\\n\w]/.test(mark)) return 0
  let end = at + 2
  for (let left = 2; left > 0; end++) {
    if (end >= script.length) return 0
    if (script[end] === '\\') end++
    else if (script[end] === mark) left--
  }
  const inside = script.slice(at + 2, end)
  // Whether a bracket hides the mark depends on the sed.
  if (new RegExp(`\\[[^\\]]*\\${mark}[^\\]]*\\]`).test(inside.replace(/\\./g, ''))) return 0
  const flags = /^[gpiIm\d]*(?=[\s;}]|$)/.exec(script.slice(end))
  return flags ? end + flags[0].length - at : 0
}

/** No command, no pipe, no file, no variables of the environment. */
export function isHarmlessAwk(program: string): boolean {
  const bare = program
    .replace(/"(?:\\.|[^"\\\n])*"|(?<=(?:^|[~(!&;{,|\n])\s*)\/(?:\\.|[^/\\\n"])*\/|#[^"\n]*$/g, ' 0 ')
    .replaceAll('||', ' ')
  if (
    /["@|`]|\b(?:system|getline|close|fflush|ENVIRON|include|load|PROCINFO|SYMTAB|FUNCTAB|ARGV)\b|\/inet\//.test(bare)
  )
    return false
  return !/\bprintf?\b[^;}\n]*>/.test(bare)
}
