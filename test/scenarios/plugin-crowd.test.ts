/** A home with many plugins of its user, through the built program: what a question costs, in files and scripts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import { writePluginCrowd } from '../support/plugin-crowd.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Three of each ten are of kinds that a question does not load. */
const COUNT = 30

interface Work {
  readonly opened: Readonly<Record<string, number>>
  readonly scripts: readonly { readonly name: string; readonly isCompiled: boolean }[]
  readonly follows: number
}

function homeWithCrowd(): { home: string; names: readonly string[] } {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'model:\n  provider: demo\n')
  return { home, names: writePluginCrowd(home, COUNT) }
}

function ask(home: string): Work {
  const counts = join(home, 'counts.json')
  const preload = join(root, 'test/support/count-work.cjs')
  const { code, out, err } = runBuilt(['chat', '-q', 'hi'], {
    home,
    env: { NODE_OPTIONS: `--require ${preload}`, WORK_COUNTS: counts },
  })
  expect({
    code,
    answered: out.trim().length > 0,
    err: err.replaceAll(/^svc: (?:.*for the first time|still waiting).*\n/gm, ''),
  }).toEqual({
    code: 0,
    answered: true,
    err: '',
  })
  return JSON.parse(readFileSync(counts, 'utf8')) as Work
}

test('from the third start on many plugins are one compiled script, each file of theirs is read once, and nothing is followed', () => {
  const { home, names } = homeWithCrowd()
  ask(home)
  ask(home)
  const { opened, scripts, follows } = ask(home)
  expect(scripts.filter(({ name }) => name !== 'svc/program.cjs')).toEqual([
    { name: 'svc/plugins.cjs', isCompiled: true },
  ])
  expect(follows).toBe(0)
  const reads = (path: string) => opened[join(home, path)] ?? 0
  for (const name of names) {
    const files = readdirSync(join(home, 'plugins', name))
    const counts = Object.fromEntries(files.map((file) => [file, reads(join('plugins', name, file))]))
    // plugin.json is read by discovery and covered by the consent.
    expect(counts, name).toEqual({ 'plugin.json': 2, 'index.ts': 1, 'work.ts': 1 })
  }
  const cached = Object.keys(opened).filter((path) => path.startsWith(join(home, 'cache/plugins')))
  expect(cached).toEqual([join(home, 'cache/plugins/plugins.pack')])
})

test('tools, hooks and commands of packed plugins work', () => {
  const { home } = homeWithCrowd()
  for (let start = 0; start < 3; start++) {
    ask(home)
    expect(runBuilt(['shell-command-4'], { home })).toMatchObject({
      code: 0,
      out: 'shell_command_4: printed\n',
      err: '',
    })
  }
})
