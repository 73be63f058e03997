/** `/memory`: what is remembered, for the person it is about. */
import type { SlashCommand, Translate } from 'svc/sdk'
import type { MemoryDeps, Target } from './tools.ts'

const FILES: Readonly<Record<Target, string>> = { memory: 'MEMORY.md', user: 'USER.md' }

export function memoryCommand(deps: MemoryDeps, t: Translate): SlashCommand {
  return {
    name: 'memory',
    description: 'Show what the agent remembers',
    category: 'Info',
    argsHint: '[memory|user|confirm]',
    subcommands: ['memory', 'user', 'confirm'],
    surfaces: ['cli'],
    async run(args) {
      const wanted = args.toLowerCase()
      if (/^confirm\b/.test(wanted)) return (await import('./confirm.ts')).confirmEntry(deps, wanted.slice(7).trim())
      const targets = (['memory', 'user'] as const).filter((target) => !wanted || target === wanted)
      if (targets.length === 0) return t('Type /memory, /memory memory or /memory user.')
      const { memoryFile, readMemory } = await import('./memory-file.ts')
      const parts = targets.map((target) => {
        const text = deps.mask(readMemory(memoryFile(deps, target))).trim()
        return `**${FILES[target]}**\n\n${text || t('Nothing yet.')}`
      })
      return `${parts.join('\n\n')}\n\n${t('To change it: tell the agent, or edit the files in {folder}.', { folder: deps.folder() })}`
    },
  }
}
