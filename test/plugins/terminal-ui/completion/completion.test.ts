import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliCommands } from 'svc/sdk'
import type { Manifest } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { completionCommand } from '../../../../plugins/terminal-ui/completion/cli.ts'
import { findManifest, pluginNames } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const manifests = pluginNames().flatMap((name) => findManifest(name) ?? [])
const withCommands = manifests.filter(({ cli = [] }) => cli.length > 0)

async function scriptFor(shell: string, known: readonly Manifest[] = manifests): Promise<string> {
  const parts: string[] = []
  const command = completionCommand(() => known).subcommands?.find(({ name }) => name === shell)
  const io = { out: (part: string) => void parts.push(part) }
  await command?.run?.({ args: [], options: {} }, io as never)
  return parts.join('')
}

test.for(withCommands.map(({ name }) => name))('the manifest of %s names the subcommands that it has', async (name) => {
  await using kernel = await testKernel({ plugins: [name] })
  for (const { name: command, subcommands = [] } of findManifest(name)?.cli ?? []) {
    const there = kernel.all(CliCommands).get(command)?.subcommands ?? []
    expect([...subcommands].sort(), command).toEqual(there.map((each) => each.name).sort())
  }
})

describe('in bash', () => {
  /** What bash offers for a line, by the script itself. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    const file = join(temporaryFolder(), 'completion.bash')
    writeFileSync(file, await scriptFor('bash'))
    const set = `COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`
    const line = `source '${file}'; ${set}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  test('commands, then their subcommands are offered, then the shell decides', async () => {
    expect(await offered('sess')).toEqual(['sessions'])
    expect(await offered('sessions', 'ex')).toEqual(['export'])
    expect(await offered('-p', 'work', 'conf')).toEqual(['config'])
    expect(await offered('sessions', 'export', 'ex')).toEqual([])
    expect(await offered('--pro')).toEqual(['--profile'])
  })
})

test('a name that is kept for earlier users is not offered', async () => {
  const kept = withCommands.flatMap(({ cli = [] }) => cli.filter(({ hidden }) => hidden).map(({ name }) => name))
  expect(kept).toContain('login')
  for (const name of kept) {
    expect(await scriptFor('bash')).not.toMatch(new RegExp(`words='[^']*\\b${name}\\b[^']*--help`))
    expect(await scriptFor('zsh')).not.toContain(`'${name}:`)
    expect(await scriptFor('fish')).not.toContain(` -a ${name} -d`)
  }
})

test('what a manifest says cannot leave its quotation, and a name that could is left out', async () => {
  const evil = {
    ...manifests[0],
    cli: [
      { name: 'x;rm', description: 'evil' },
      { name: 'good', description: 'it\'s $(touch x) `y` "z" \\ end', subcommands: ['ok', 'a b', '$(x)'] },
    ],
  } as unknown as Manifest
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await scriptFor(shell, [evil])
    expect(script).toContain('good')
    expect(script).not.toMatch(/rm|\$\(touch|`|\$\(x\)|a b/)
  }
})
