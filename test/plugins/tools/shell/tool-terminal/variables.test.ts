/** Variables that plugins set for commands: in the shell of the session, in the background, and for scripts. */
import { execFileSync } from 'node:child_process'
import { type PluginContext, Tools } from 'svc/sdk'
import { SelectCommandEnvironment } from 'svc/sdk/hooks'
import type { InlinePlugin } from 'svc/sdk/host'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { lentVariables } from '../../../../../plugins/tools/shell/tool-terminal/variables.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

async function open(setup: (ctx: PluginContext<undefined>) => void, manifest: Partial<InlinePlugin> = {}) {
  const kernel = await testKernel({
    plugins: ['tool-terminal', 'tool-process', 'tool-code'],
    config: { approvals: { mode: 'off' }, terminal: { confine: 'off' } },
    env: { PATH: process.env['PATH'] ?? '' },
    with: [{ name: 'acme', setup, ...manifest }],
  })
  onTestFinished(() => kernel.stop())
  const cwd = temporaryFolder()
  return async (name: string, input: object) => {
    const tool = kernel.all(Tools).get(name)
    const parsed = await tool?.input['~standard'].validate(input)
    const result = await tool?.run(
      parsed && !parsed.issues ? parsed.value : undefined,
      fakeToolTurn({ sessionId: 's', cwd }),
    )
    return typeof result === 'string' ? result : (result?.text ?? '')
  }
}

test('a command and a command in a terminal of its own have the variables, with every character', async () => {
  const value = `it's "quoted" $HOME \`x\` \\ ünïcode\nline two`
  const asked: unknown[] = []
  const run = await open((ctx) => {
    ctx.on(SelectCommandEnvironment, (variables, { tool, command, turn }) => {
      asked.push([tool, command, turn.sessionId])
      return { ...variables, ACME_VALUE: value }
    })
  })
  const command = 'printf %s "$ACME_VALUE"'
  expect(await run('terminal', { command })).toContain(value)
  expect((await run('terminal', { command, pty: true })).replaceAll('\r', '')).toContain(value)
  expect(asked).toEqual([
    ['terminal', command, 's'],
    ['terminal', command, 's'],
  ])
})

test('a script has them, too; a matcher selects the tool', async () => {
  const run = await open((ctx) => {
    ctx.on(SelectCommandEnvironment, (variables) => ({ ...variables, ACME_VALUE: 'for scripts' }), {
      tools: ['execute_code'],
    })
  })
  expect(await run('execute_code', { code: 'console.log(process.env.ACME_VALUE)' })).toContain('for scripts')
  expect(await run('terminal', { command: 'echo "[$ACME_VALUE]"' })).toContain('[]')
})

test('a listener that fails or gives something that is no environment sets nothing, and the command runs', async () => {
  const run = await open((ctx) => {
    ctx.on(SelectCommandEnvironment, () => Promise.reject(new Error('broken')))
    ctx.on(SelectCommandEnvironment, () => ({ 'A;rm -rf /': 'x' }))
    ctx.on(SelectCommandEnvironment, () => ({ ACME_VALUE: 'a\0b' }))
    ctx.on(SelectCommandEnvironment, () => ({ ACME_VALUE: 7 }) as never)
  })
  expect(await run('terminal', { command: 'echo "[$ACME_VALUE] ran"' })).toContain('[] ran')
})

test('a command does not inherit what a plugin declares as a secret, nor the keys of cloud services', async () => {
  const inherited = { ACME_PIN: '1234', ACME_CITY: 'Rome', AWS_ACCESS_KEY_ID: 'AKIA0000', AWS_REGION: 'eu-west-1' }
  Object.assign(process.env, inherited)
  onTestFinished(() => {
    for (const name of Object.keys(inherited)) delete process.env[name]
  })
  const run = await open(() => {}, { env: [{ name: 'ACME_PIN', description: 'The pin.', secret: true }] })
  const command = 'printf "%s|" "$ACME_PIN" "$AWS_ACCESS_KEY_ID" "$ACME_CITY" "$AWS_REGION"'
  expect(await run('terminal', { command })).toContain('||Rome|eu-west-1|')
})

test('the variables are those of one command: a later one in the same shell does not have them', async () => {
  const gone = { isOn: true }
  const run = await open((ctx) => {
    ctx.on(SelectCommandEnvironment, (variables) =>
      gone.isOn
        ? { ...variables, ACME_NEW: "it's $new", ACME_SET: 'lent', ACME_OWN: 'lent', ACME_KEPT: 'lent' }
        : undefined,
    )
  })
  const show =
    'printf "%s," "${ACME_NEW-none}" "${ACME_SET-none}" "${ACME_OWN-none}" "${ACME_KEPT-none}"; env | grep -c ACME_'
  gone.isOn = false
  await run('terminal', { command: 'export ACME_SET="the users own"; ACME_OWN=shell; cd /tmp' })
  gone.isOn = true
  expect(await run('terminal', { command: show })).toContain("it's $new,lent,lent,lent,4")
  await run('terminal', { command: 'ACME_KEPT=changed; set -eu' })
  gone.isOn = false
  expect(await run('terminal', { command: show })).toContain('none,the users own,shell,changed,2')
  expect(await run('terminal', { command: 'set | grep -c __svc_ || pwd' })).toContain('0\n/tmp')
})

test('any POSIX shell takes the variables back', () => {
  const { lend, takeBack } = lentVariables({ ONE: "it's", TWO: 'lent', THREE: '*' })
  const show = `printf '%s,' "${'${ONE-none}'}" "${'${TWO-none}'}" "${'${THREE-none}'}"; env | grep -cE '^(ONE|TWO|THREE)='`
  const script = `TWO=own; export THREE=mine; ${lend} ${show}; ${takeBack} ${show}`
  expect(execFileSync('sh', ['-euc', script], { env: { PATH: process.env['PATH'] } }).toString()).toBe(
    "it's,lent,*,3\nnone,own,mine,1\n",
  )
})
