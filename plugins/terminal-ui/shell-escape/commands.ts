/** `/shell`, which `!command` stands for. */
import type { SlashCommand, Translate } from 'svc/sdk'
import type { Noted } from './noted-commands.ts'
import { runShell, type ShellDeps } from './run-in-shell.ts'

const PRIVATE = /^--private(\s+|$)/

/** `!command` is typed as `/shell command`, `!!command` as `/shell --private command`. */
export function shellCommand(noted: Noted, deps: ShellDeps, t: Translate): SlashCommand {
  const running = new Map<string, AbortController>()
  return {
    name: 'shell',
    description: 'Run a shell command yourself (!command); the model sees its output, with !! it does not',
    category: 'Tools & Skills',
    argsHint: '[--private] <command>',
    surfaces: ['cli'],
    async run(args, { sessionId, cwd, signal }) {
      const isPrivate = PRIVATE.test(args)
      const command = args.replace(PRIVATE, '').trim()
      const current = running.get(sessionId)
      if (command === '') {
        current?.abort()
        return current ? undefined : t('Type a command: !ls. While it runs, ! alone stops it.')
      }
      if (current) return t('A command is still running. Type ! alone to stop it.')
      const stop = new AbortController()
      running.set(sessionId, stop)
      try {
        const { output, ending } = await runShell(command, cwd, AbortSignal.any([signal, stop.signal]), deps)
        if (!isPrivate) noted.add(sessionId, { command, output: deps.mask(output), ending })
        return `${fenceText(output.trimEnd())}${ending === 'exit 0' ? '' : `\n\n${ending}`}`
      } finally {
        running.delete(sessionId)
      }
    },
  }
}

/** As code, in a fence that is longer than any in the text. */
function fenceText(text: string): string {
  if (text === '') return ''
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
