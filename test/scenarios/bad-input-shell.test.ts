/** Shells that die and half commands: said, and the next command works. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Scene, scene, whyNoSentence } from '../support/scene.ts'

function shellScene(): Promise<Scene> {
  return scene({ plugins: ['tool-terminal'] })
}

const deaths = {
  'kill -9 $$': /ended|died|killed|SIGKILL/i,
  'exit 3': /3/,
  'exec false': /1|ended/,
  'exec 1>&- 2>&-; echo gone': /./,
  'exec </dev/null; cat': /./,
  'set -e; false': /./,
  'trap "" TERM INT HUP; sleep 0.1; kill -9 $$': /ended|died|killed|SIGKILL/i,
  'unset PATH; PS1=; PROMPT_COMMAND="exit 9"': /./,
  'cd /; rm -rf "$OLDPWD"/nothing': /./,
  'readonly PWD OLDPWD': /./,
  'echo(){ :; }; printf(){ :; }; cd(){ :; }; pwd(){ :; }': /./,
  'alias eval=false command=false printf=false': /./,
  'enable -n printf echo pwd': /./,
}

test.each(Object.entries(deaths))(
  'after `%s` the outcome is told and the next command works',
  async (command, said) => {
    const made = await shellScene()
    await made.tool('terminal', { command: 'cd /tmp' })
    const done = await made.tool('terminal', { command, timeout: 10 })
    expect(done.text).toMatch(said)
    if (!done.ok) expect(done.text).toMatch(/\[(exit|stopped)/)
    const next = await made.tool('terminal', { command: '/bin/echo al""ive', timeout: 10 })
    expect(next).toMatchObject({ ok: true, text: expect.stringContaining('alive') })
  },
)

test('a shell that is killed between two commands is replaced, and that is said', async () => {
  const made = await shellScene()
  const marker = join(made.cwd, 'killed')
  await made.tool('terminal', {
    command: `export KEPT=yes; (sleep 0.1; kill -KILL $$; echo x > '${marker}') >/dev/null 2>&1 & true`,
  })
  while (!existsSync(marker)) await nextTurn()
  // What signals programs has its own shell: so does this.
  const next = await made.tool('terminal', { command: 'echo "kept: $KEPT"; kill -0 $$' })
  expect(next).toMatchObject({ ok: true, text: expect.stringContaining('kept:') })
  expect(next.text).toMatch(/new shell|shell (had )?(ended|died)|started again/i)
})

test('the folder that a shell stands in may vanish', async () => {
  const made = await shellScene()
  await made.tool('terminal', { command: 'mkdir gone; cd gone; rmdir ../gone' })
  const next = await made.tool('terminal', { command: '/bin/echo alive' })
  expect(next.text).toContain('alive')
  const named = await made.tool('terminal', { command: 'pwd', workdir: 'gone' })
  expect(named.ok).toBe(false)
  expect(whyNoSentence(named.text)).toBeUndefined()
})

const halves = ["'", '"', '$(', '`', '<<EOF', 'if true', '\\', '(', '{', '))', '\u0000', '#', ';', '&', 'echo a &&']

test('half a command is answered, and the next one works', async () => {
  const made = await shellScene()
  for (const command of halves) {
    const done = await made.tool('terminal', { command, timeout: 10 })
    if (!done.ok) expect(whyNoSentence(done.text), command).toBeUndefined()
    expect((await made.tool('terminal', { command: 'echo alive' })).text, command).toContain('alive')
  }
})
