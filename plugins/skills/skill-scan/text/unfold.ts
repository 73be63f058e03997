/** Code in which names and commands are written in one piece, whatever they were put together from. */
import { unescapeText } from './decode.ts'

const MAX_ROUNDS = 4
const MAX_LENGTH = 400_000

/** Line continuations become spaces; the lines that are lost follow at once, so that line numbers stay true. */
export function joinLines(code: string): string {
  const lines: string[] = []
  let open = ''
  let lost = 0
  for (const line of code.split('\n')) {
    const continued = /^(.*[^\\`^]|)(?:\\|[ \t]`|[ \t]\^)\s*$/.exec(line)
    if (continued && !/^\s*```/.test(line)) {
      // Inside a word the shell joins both halves without a space.
      open += `${continued[1]}${/\\\s*$/.test(line) ? '' : ' '}`
      lost += 1
      continue
    }
    lines.push(open + (lost && /\s$/.test(open) ? line.trimStart() : line), ...new Array<string>(lost).fill(''))
    open = ''
    lost = 0
  }
  if (open) lines.push(open)
  return lines.join('\n')
}

/** Quoted pieces joined, escapes resolved, literal variables replaced by what they hold. */
export function unfoldCode(code: string): string {
  if (code.length > MAX_LENGTH) return code
  let text = joinLines(code)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = text
    text = inlineVariables(joinStrings(text))
    if (text === before || text.length > MAX_LENGTH) break
  }
  return cleanWords(text)
}

function joinStrings(code: string): string {
  return (
    code
      // 'a' + 'b', 'a' . 'b', 'a' & 'b'; in Python also 'a' 'b' in parentheses.
      .replace(
        /(?<![\\])(["'`])[ \t]*\n?[ \t]*(?:\+|\.(?!\w)|&(?!&))[ \t]*\n?[ \t]*[rbuf]?(["'`])(?!\2)/g,
        (all, one, two) => (one === two ? '' : all),
      )
      .replace(/(?<=[\w/:.-])(["'])[ \t]*\n[ \t]*\1(?=[\w/:.-])/g, '')
      // ['c','u','r','l'].join('') and ''.join(['c','u'])
      .replace(
        /\[((?:\s*(["'`])[^"'`\n]{0,200}\2\s*,?)+)\]\s*\.join\(\s*(["'`])(.{0,3}?)\3\s*\)/g,
        (_, list, _q, quote, glue) => quote + listed(list).join(glue) + quote,
      )
      .replace(
        /(["'])(.{0,3}?)\1\s*\.join\(\s*[[(]((?:\s*(["'])[^"'\n]{0,200}\4\s*,?)+)[\])]\s*\)/g,
        (_, quote, glue, list) => quote + listed(list).join(glue) + quote,
      )
      .replace(/@?\(?((?:\s*'[^'\n]{0,40}'\s*,?){2,})\)?\s*-join\s*''/g, (_, list) => `'${listed(list).join('')}'`)
      // 'llehs'[::-1], 'llehs'.split('').reverse().join('')
      .replace(
        /(["'])([^"'\n]{2,2000})\1\s*\[\s*::\s*-1\s*\]/g,
        (_, quote, text) => quote + [...text].reverse().join('') + quote,
      )
      .replace(
        /(["'])([^"'\n]{2,2000})\1\.split\(\s*(["'])\3\s*\)\.reverse\(\)\.join\(\s*(["'])\4\s*\)/g,
        (_, quote, text) => quote + [...text].reverse().join('') + quote,
      )
      .replace(
        /echo\s+(["']?)([^"'\n|]{3,2000})\1\s*\|\s*rev\b/g,
        (_, quote, text) => `echo ${quote}${[...text.trim()].reverse().join('')}${quote}`,
      )
      // 'cXuXrXl'.replace('X', '')
      .replace(
        /(["'])([^"'\n]{2,2000})\1\.replace(?:All)?\(\s*(["'])([^"'\n]{1,8})\3\s*,\s*(["'])([^"'\n]{0,8})\5\s*\)/g,
        (_, quote, text, _a, from, _b, to) => quote + text.replaceAll(from, to) + quote,
      )
      // chr(99)+chr(117), String.fromCharCode(99, 117), [char]99
      .replace(
        /(?:\bchr\(\s*(?:0x[0-9a-f]+|\d{2,3})\s*\)\s*[+.]?\s*){2,}|String\.fromCharCode\(([\d\s,xa-f]+)\)|(?:\[char\]\(?(?:0x[0-9a-f]+|\d{2,3})\)?\s*\+?\s*){2,}/gi,
        (found) => `'${characters(found)}'`,
      )
      // "{1}{0}" -f 'b','a'
      .replace(
        /\(?\s*(["'])((?:[^"'\n]*\{\d\})+[^"'\n]*)\1\s*-f\s*((?:\s*(["'])[^"'\n]*\4\s*,?)+)\)?/gi,
        (_, quote, form, _n, _q, ...rest) => {
          const list = listed(String(_n))
          return (
            quote +
            form.replace(/\{(\d)\}/g, (_all: string, at: string) => list[Number(at)] ?? '') +
            quote +
            (rest.length ? '' : '')
          )
        },
      )
      .replace(
        /(["'`$])((?:[^"'`\n\\]|\\.){0,400}\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[0-3]?[0-7]{2})(?:[^"'`\n\\]|\\.){0,4000})(["'`])/g,
        (all, open, text, end) =>
          /(?:\\(?:x..|u....|[0-3]?[0-7]{2}).?){2}/.test(text) ? open + unescapeText(text) + end : all,
      )
  )
}

function listed(list: string): string[] {
  return [...list.matchAll(/(["'`])(.*?)\1/g)].map(([, , text = '']) => text)
}

function characters(found: string): string {
  const codes = found.match(/0x[0-9a-f]{2}|\d{2,3}/gi)?.map(Number) ?? []
  return String.fromCharCode(...codes.filter((code) => code < 65_536).slice(0, 10_000))
}

const ASSIGNED =
  /(?:^|[;&\n(]|\b(?:export|local|const|let|var|set|declare)\s)[ \t]*(\$?[A-Za-z_]\w{0,40})[ \t]*(?::\s*\w+\s*)?=[ \t]*(?:(["'`])((?:(?!\2)[^\n\\]|\\.){0,300})\2|([\w./:@%+,-]{1,200}))(?=[ \t]*(?:$|[;&\n)#|]))/gm
const MAX_VARIABLES = 60

/** Only values that are literal and assigned once. */
function inlineVariables(code: string): string {
  const values = new Map<string, string>()
  for (const { 1: name = '', 3: quoted, 4: plain } of code.matchAll(ASSIGNED)) {
    const key = name.replace(/^\$/, '')
    const value = quoted ?? plain ?? ''
    if (value.includes(`$${key}`) || value === key || key.length < 1) continue
    values.set(key, values.has(key) && values.get(key) !== value ? '' : value)
    if (values.size >= MAX_VARIABLES) break
  }
  let text = code
  for (const [name, value] of values) {
    if (value === '') continue
    const safe = () => value
    text = text.replace(new RegExp(`\\$\\{${name}\\}|\\$${name}\\b(?!\\s*=)|\\{${name}\\}(?=[^\\n]*["'\`])`, 'g'), safe)
    // name + '...' and '...' + name
    text = text.replace(new RegExp(`\\b${name}\\s*\\+\\s*(["'\`])`, 'g'), (_, quote) => quote + value)
    text = text.replace(new RegExp(`(["'\`])\\s*\\+\\s*${name}\\b`, 'g'), (_, quote) => value + quote)
    text = text.replace(new RegExp(`(?<=[(,\\[]\\s*)${name}(?=\\s*[,)\\]])`, 'g'), () => `'${value}'`)
  }
  return text
}

/** `c""url`, `c\url`, `c$@url`, `{curl,-s,x}`, `$IFS`, `` i`e`x ``. */
function cleanWords(code: string): string {
  return code
    .replace(/\$\{IFS[^}]*\}|\$IFS(?:\$\d)?/g, ' ')
    .replace(/(?<=\w)(?:""|''|\$@|\$\*|\$\{[@*]\})(?=\w)/g, '')
    .replace(/\b(\w{1,8})(["'])(\w{1,12})\2(?=\w|\s|$)/g, (all, one, _, two, at: number) => {
      // `b'a'` is a text of Python, unless a word continues behind it.
      return /^[rbuf]{1,2}$/i.test(one) && !/\w/.test(code[at + all.length] ?? '') ? all : one + two
    })
    .replace(/(^|[\s;|&(])(["'])(\w{1,12})\2(?=\w)/gm, '$1$3')
    .replace(/(^|[\s;|&(])\\?((?:[a-z]\\)+[a-z]+)\b/gm, (_, before, word) => before + word.replaceAll('\\', ''))
    .replace(/(^|[\s;|&(])\{(\w+(?:,[^\s,{}]+)+)\}/gm, (_, before, list) => before + list.replaceAll(',', ' '))
    .replace(/(?<=[A-Za-z])`(?=[A-Za-z])/g, '')
    .replace(/(?<=[A-Za-z])\^(?=[A-Za-z])/g, '')
}
