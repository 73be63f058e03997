import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const module = fileURLToPath(new URL('../../program/intrinsics.ts', import.meta.url))

/** Runs code after the lock, in its own process: it cannot be undone. */
async function afterLock(code: string): Promise<string> {
  const { build } = await import('esbuild')
  const built = await build({ entryPoints: [module], write: false, format: 'esm' })
  const source = `${built.outputFiles[0]?.text}\nlockIntrinsics()\nlockIntrinsics()\n${code}`
  return execFileSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' }).trim()
}

const patch = (target: string) =>
  `try { ${target} = () => false; console.log('patched') } catch { console.log('locked') }`

test.each([
  'RegExp.prototype.test',
  'String.prototype.includes',
  'Array.prototype.find',
  'Map.prototype.get',
  'JSON.parse',
  'Reflect.get',
  'Object.freeze',
  'Function.prototype.call',
])('%s cannot be replaced once code of a user is to run', async (target) => {
  expect(await afterLock(patch(target))).toBe('locked')
  expect(
    await afterLock(
      `try { Object.defineProperty(${target.replace(/\.(\w+)$/, ", '$1'")}, { value: 1 }); console.log('patched') } catch { console.log('locked') }`,
    ),
  ).toBe('locked')
})

test('what libraries do all the time still works', async () => {
  const code = `
    class Own extends Map { get(key) { return super.get(key) ?? 'none' } }
    const error = new Error('x'); error.name = 'Mine'
    const thing = function () {}; thing.prototype.toString = () => 'mine'
    String.prototype.added = function () { return 'added ' + this }
    const list = []; list.push = (...items) => Array.prototype.push.apply(list, items); list.push(1)
    console.log(new Own().get(1), error.name, String(new thing()), 'x'.added(), list.length, 'abc'.replace(/b/, 'x'))`
  expect(await afterLock(code)).toBe('none Mine mine added x 1 axc')
})
