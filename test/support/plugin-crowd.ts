/** Homes with many plugins of users: small ones of mixed kinds, as people install them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Kind = 'tool' | 'hook' | 'command' | 'shell command'

/** Of ten plugins. */
const kinds: readonly Kind[] = [
  'tool',
  'hook',
  'command',
  'tool',
  'shell command',
  'tool',
  'hook',
  'command',
  'tool',
  'hook',
]

/** Writes `count` plugins into a home and switches them on in its config.yaml. Returns their names. */
export function writePluginCrowd(home: string, count: number): readonly string[] {
  const names = Array.from({ length: count }, (_, at) => writePlugin(home, at))
  const file = join(home, 'config.yaml')
  const enabled = names.map((name) => `    - ${name}`)
  writeFileSync(file, `${[readFileSync(file, 'utf8').trimEnd(), 'plugins:', '  enabled:', ...enabled].join('\n')}\n`)
  return names
}

function writePlugin(home: string, at: number): string {
  const kind = kinds[at % kinds.length] ?? 'tool'
  const word = `${kind.replace(' ', '_')}_${at}`
  const name = word.replaceAll('_', '-')
  const dir = join(home, 'plugins', name)
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  const { manifest, code } = shapes[kind](word, name)
  const basics = { name, version: '1.0.0', sdk: '^0.2.0', description: `Plugin ${at} of a crowd.` }
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify({ ...basics, ...manifest }, undefined, 2))
  writeFileSync(join(dir, 'work.ts'), `export const answer = (text: string): string => \`${word}: \${text}\`\n`)
  writeFileSync(join(dir, 'index.ts'), `import { answer } from './work.ts'\n${code}`)
  return name
}

const shapes: Readonly<Record<Kind, (word: string, name: string) => { manifest: object; code: string }>> = {
  tool: (word) => ({
    manifest: { kind: 'tool', contributes: { tools: [word] } },
    code: `import { definePlugin, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: '${word}',
        description: 'Repeats a text.',
        input: z.object({ text: z.string(), times: z.number().optional() }),
        effect: 'pure',
        reach: 'nothing',
        toolset: 'crowd',
        run: async ({ text }) => answer(text),
      }),
    )
  },
})
`,
  }),
  hook: (word) => ({
    manifest: { kind: 'hooks', with: ['agent'] },
    code: `import { BeforeUserMessage, definePlugin, TurnEnded } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserMessage, (text) => text.replace(';${word}', answer('')))
    ctx.on(TurnEnded, ({ reason }) => ctx.log.debug(answer(reason)))
  },
})
`,
  }),
  command: (word, name) => ({
    manifest: { kind: 'command', contributes: { 'slash-commands': [name] } },
    code: `import { definePlugin, SlashCommands } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, { name: '${name}', description: 'Says ${word}.', run: (args) => answer(args) })
  },
})
`,
  }),
  'shell command': (word, name) => ({
    manifest: { kind: 'command', cli: [{ name, description: `Prints ${word}.` }] },
    code: `import { CliCommands, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, { name: '${name}', description: 'Prints ${word}.', run: () => answer('printed') })
  },
})
`,
  }),
}
