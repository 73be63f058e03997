/** What harmless commands print, computed without running them: `echo cm0gLXJm | base64 -d` and its like. */

import { UNKNOWN } from './expand.ts'
import { decodeEscapes } from './shell-signs.ts'

const MAX_OUTPUT = 65_536

/** The output of one command with these arguments and this input, or undefined when it is not known. */
export function predictOutput(name: string, args: readonly string[], input: string | undefined): string | undefined {
  const text = Object.hasOwn(PRINTERS, name) ? PRINTERS[name]?.(args, input) : undefined
  return text?.slice(0, MAX_OUTPUT)
}

type Printer = (args: readonly string[], input: string | undefined) => string | undefined

const PRINTERS: Readonly<Record<string, Printer>> = {
  echo: (args) => {
    const flags = args.filter((word, at) => /^-[neE]+$/.test(word) && at < 2)
    const text = args.slice(flags.length).join(' ')
    return flags.some((flag) => flag.includes('e')) ? decodeEscapes(text) : text
  },
  printf: ([format = '', ...values]) => printFormat(format, values),
  cat: (args, input) => (args.every((word) => word === '-' || word === '/dev/stdin') ? input : undefined),
  tee: (_args, input) => input,
  rev: (args, input) => (args.length ? undefined : input && [...input.trimEnd()].reverse().join('')),
  base64: (args, input) => (decodes(args) ? decodeText(input, 'base64') : undefined),
  basenc: (args, input) => (decodes(args) ? decodeText(input, 'base64') : undefined),
  openssl: (args, input) =>
    args.some((word) => /^-?(base64|enc)$/.test(word)) && args.includes('-d') ? decodeText(input, 'base64') : undefined,
  xxd: (args, input) => (args.some((word) => /^-[a-z]*r/.test(word)) ? decodeText(input, 'hex') : undefined),
  tr: (args, input) => translateText(args, input),
  ...Object.fromEntries(['which', 'type', 'whereis'].map((name) => [name, findLookedUp])),
  command: (args) => (/^-[vV]/.test(args[0] ?? '') ? findLookedUp(args.slice(1)) : undefined),
  // What the shell hooks of these tools print is trusted as the tools are.
  ...Object.fromEntries(
    'direnv brew fnm pyenv rbenv nodenv jenv starship zoxide mise asdf rustup ssh-agent keychain minikube docker-machine conda mamba atuin fzf thefuck dircolors lesspipe'
      .split(' ')
      .map((name) => [name, findShellHook]),
  ),
  sort: (args, input) => (args.length ? undefined : input),
}

function decodes(args: readonly string[]): boolean {
  return args.some((word) => /^(-[a-zA-Z]*[dD][a-zA-Z]*|--decode)$/.test(word))
}

function decodeText(input: string | undefined, encoding: 'base64' | 'hex'): string | undefined {
  if (input === undefined || input.includes(UNKNOWN)) return undefined
  return Buffer.from(input.replace(/\s+/g, ''), encoding).toString('utf8')
}

function printFormat(format: string, values: readonly string[]): string {
  const left = [...values]
  const once = () => decodeEscapes(format.replace(/%[-0-9.]*[sbdqi]/g, () => left.shift() ?? '').replace(/%%/g, '%'))
  let text = once()
  for (let round = 0; left.length && round < 64 && text.length < MAX_OUTPUT && /%[-0-9.]*[sbdqi]/.test(format); round++)
    text += once()
  return text
}

/** `tr a-z b-za`: sets of the same length, with ranges. */
function translateText(args: readonly string[], input: string | undefined): string | undefined {
  if (input === undefined) return undefined
  if (args[0] === '-d') {
    const gone = new Set(characters(args[1] ?? ''))
    return [...input].filter((char) => !gone.has(char)).join('')
  }
  const [from, to] = args.map(characters)
  if (args.length !== 2 || !from || !to) return undefined
  const table = new Map(from.map((char, at) => [char, to[Math.min(at, to.length - 1)] ?? '']))
  return [...input].map((char) => table.get(char) ?? char).join('')
}

function characters(set: string): string[] {
  const classes: Readonly<Record<string, string>> = { '[:upper:]': 'A-Z', '[:lower:]': 'a-z', '[:space:]': ' \t\n' }
  const text = decodeEscapes(classes[set] ?? set)
  return [...text.slice(0, 256).matchAll(/(.)-(.)|([\s\S])/g)].flatMap(([, first, last, one]) => {
    if (one !== undefined) return [one]
    const [start = 0, end = 0] = [first?.codePointAt(0), last?.codePointAt(0)]
    return Array.from({ length: Math.max(0, Math.min(256, end - start + 1)) }, (_, at) =>
      String.fromCodePoint(start + at),
    )
  })
}

function findLookedUp(args: readonly string[]): string | undefined {
  return args.find((word) => !word.startsWith('-'))
}

/** `eval "$(direnv hook bash)"` and its like set the shell up. */
function findShellHook(args: readonly string[]): string | undefined {
  return /^(hook|export|shellenv|env|init|activate|exec|-s|docker-env|shell\.\w+|--\w+|)$/.test(args[0] ?? '')
    ? ''
    : undefined
}
