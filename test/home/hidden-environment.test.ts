import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { hideEnvironment } from '../../home/hidden-environment.ts'
import { secretVariables } from '../../home/secrets.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** What a process that hides `names` sees, and what others see of it. */
function hide(names: readonly string[], env: Readonly<Record<string, string>>): unknown {
  const folder = temporaryFolder()
  const [source, outfile] = [join(root, 'home/hidden-environment.ts'), join(folder, 'hidden.mjs')]
  buildSync({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile })
  const main = join(folder, 'main.mjs')
  writeFileSync(
    main,
    `import { hideEnvironment, withoutSecrets } from './hidden.mjs'
    import { execFileSync } from 'node:child_process'
    const left = hideEnvironment(${JSON.stringify(names)})
    const shown = execFileSync('cat', ['/proc/' + process.pid + '/environ'], { encoding: 'utf8' }).split('\\0').filter(Boolean)
    const child = JSON.parse(execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' }))
    const start = () => execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' })
    const bare = JSON.parse(withoutSecrets(start))
    console.log(JSON.stringify({ left, shown, own: { ...process.env }, child, bare }))`,
  )
  return JSON.parse(execFileSync(process.execPath, [main], { env, encoding: 'utf8' }))
}

test.skipIf(process.platform !== 'linux')(
  'values are hidden from other programs, and not from the process and its children',
  () => {
    const env = { FIRST: 'one=1', A_KEY: 'säcret=x', EMPTY_KEY: '', A_KEY_NAME: 'not this', B_TOKEN: 'two' }
    expect(hide(['A_KEY', 'B_TOKEN', 'EMPTY_KEY', 'UNSET_KEY'], env)).toEqual({
      left: [],
      shown: ['FIRST=one=1', 'A_KEY=', 'EMPTY_KEY=', 'A_KEY_NAME=not this', 'B_TOKEN='],
      own: env,
      child: env,
      bare: { FIRST: 'one=1', A_KEY_NAME: 'not this' },
    })
  },
)

test('a variable that is not set is not reported as visible', () => {
  expect(hideEnvironment(['SVC_TEST_NEVER_SET_KEY'])).toEqual([])
})

test('variables are secret by their name in any case, or because a plugin declares them', () => {
  const env = { A_KEY: 'x', my_password: 'x', PATH: '/bin', KEYBOARD: 'de', BEARER: 'x', UNSET: undefined }
  expect(secretVariables(env, new Set(['BEARER', 'OTHER']))).toEqual(['A_KEY', 'my_password', 'BEARER'])
})
