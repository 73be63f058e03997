/** `/hooks`: what runs at which moment, what each last did, and a trial. */
import type { SlashCommand, Translate } from 'svc/sdk'
import { EVENT_NAMES } from './events.ts'
import { formatResult, shownHooks, tryHooks } from './report.ts'
import { type HookRunner, listProblems } from './runner.ts'

export function hooksSlashCommand(runner: HookRunner, t: Translate): SlashCommand {
  return {
    name: 'hooks',
    description: 'Show the commands that run at moments of a conversation, or try one',
    category: 'Configuration',
    argsHint: '[test <hook or event>]',
    subcommands: ['test'],
    surfaces: ['cli'],
    async run(args, { cwd, signal }) {
      const [verb, word] = args.split(/\s+/)
      if (verb === 'test' && word) {
        const tried = await tryHooks(runner, word, { cwd, signal })
        return tried.map(({ hook, run }) => `- ${code(hook.id)}: ${run.ms} ms, ${code(formatResult(run))}`).join('\n')
      }
      const known = await runner.known(cwd)
      const lines = shownHooks(known, runner.last).map(({ id, matcher, command, inactive, last }) => {
        const state = inactive ? t('does not run: svc hooks trust') : (last?.result ?? t('has not run yet'))
        return `- ${code(id)}${matcher && ` ${code(matcher)}`}: ${code(command)} (${state})`
      })
      const problems = [...listProblems(known.hooks), ...(known.problem === undefined ? [] : [known.problem])]
      if (lines.length + problems.length === 0)
        return t('There are no hooks. They are configured in the block hooks of config.yaml.')
      return [...lines, ...problems].join('\n')
    },
    async complete(args) {
      const word = /^test\s+(\S*)$/.exec(args)?.[1]
      const names = word === undefined ? [] : EVENT_NAMES.filter((name) => name.startsWith(word))
      return names.map((name) => ({ text: name, from: 0 }))
    },
  }
}

/** As code, whatever marks are in the text. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'")
  return `\`${line}\``
}
