/** The shell commands that stand in fenced blocks of the Markdown documents. */
import { execFileSync } from 'node:child_process'
import { read, root } from '../repository.ts'

/** A fenced block with commands. */
export interface ReadmeBlock {
  readonly path: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly commands: readonly ReadmeCommand[]
}

export interface ReadmeCommand {
  /** As it stands there, without its comment. */
  readonly text: string
  /** What a person types into it: the lines that begin with `> `. */
  readonly typed: readonly string[]
  /** What those lines are answered with. */
  readonly shown: readonly string[]
}

const SHELL = new Set(['sh', 'bash', 'shell', 'console', 'zsh'])
/** Blocks without a language hold commands when a line begins with one of these. */
const PROGRAM = /^(?:\$ )?(?:svc|npm|npx|node|curl|git|docker)(?: |$)/m

/** Documents that describe the checkout as it is; the changelog and plugins for an earlier SDK describe the past. */
export function documentsWithCommands(): string[] {
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  return tracked.split('\0').filter((path) => path && path !== 'CHANGELOG.md' && !path.startsWith('test/fixtures/'))
}

/** Without built-in skills: most of their commands are those of other programs, and `test/builtin-skills` runs their scripts. */
export function readmeBlocks(): ReadmeBlock[] {
  const documents = documentsWithCommands().filter((path) => !path.startsWith('builtin-skills/'))
  return documents.flatMap((path) => blocksIn(path, read(path)))
}

/** Blocks with at least one command, in order. */
export function blocksIn(path: string, text: string): ReadmeBlock[] {
  const found: ReadmeBlock[] = []
  for (const match of text.matchAll(/^( *)```([\w-]*)[^\n]*\n(.*?)^\1```/gms)) {
    const [, indent = '', language = '', body = ''] = match
    const lines = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const isShell = SHELL.has(language) || ((language === '' || language === 'text') && PROGRAM.test(lines))
    if (!isShell) continue
    const line = text.slice(0, match.index).split('\n').length
    const commands = commandsIn(lines)
    if (commands.length > 0) found.push({ path, line, commands })
  }
  return found
}

/** In a block with prompts (`$ `) all other lines are output; elsewhere every line is a command. */
function commandsIn(body: string): ReadmeCommand[] {
  const lines = body.replaceAll(/\\\n\s*/g, '').split('\n')
  const hasPrompt = lines.some((line) => line.startsWith('$ '))
  const commands: { text: string; typed: string[]; shown: string[] }[] = []
  for (const line of lines) {
    const last = commands.at(-1)
    if (line.startsWith('> ')) last?.typed.push(line.slice(2))
    else if (last && last.typed.length > 0) last.shown.push(...(line.trim() ? [line] : []))
    else if (hasPrompt ? line.startsWith('$ ') : line.trim() && !line.startsWith('#'))
      commands.push({ text: withoutRemark(line.replace(/^\$ /, '')), typed: [], shown: [] })
  }
  return commands
}

/** A comment, or a description that stands two blanks or more behind the command. */
function withoutRemark(line: string): string {
  return line
    .replace(/\s+#\s.*$/, '')
    .replace(/\s{2,}\S.*$/, '')
    .trim()
}

/** Each form of `a|b|c` and each presence of `[option]`. */
export function forms(command: string): string[] {
  // A bracket before a quote is a list of JSON.
  const optional = /\s*\[(?!["'])([^\]]+)\]/.exec(command)
  if (optional) {
    const [all, inside = ''] = optional
    return [command.replace(all, ''), command.replace(all, ` ${inside}`)].flatMap(forms)
  }
  const choice = /(?<=^| )[a-z-]+(?:\|[a-z-]+)+(?= |$)/.exec(command)?.[0]
  if (choice === undefined) return [command]
  return choice.split('|').flatMap((word) => forms(command.replace(choice, word)))
}

/** Commands of svc that stand within a sentence or a table, as `path: words`. */
export function commandsInText(): { readonly path: string; readonly words: readonly string[] }[] {
  return documentsWithCommands().flatMap((path) => {
    const text = read(path).replaceAll(/^( *)```.*?^\1```/gms, '')
    return [...text.matchAll(/`svc ([^`\n]+)`/g)].map(([, rest = '']) => ({ path, words: splitWords(rest) }))
  })
}

/** What is quoted is one word; brackets of what may be left out are no part of it. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/"[^"]*"|'[^']*'|[^\s[\]]+/g)].map(([word]) => word)
}
