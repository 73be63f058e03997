import { chmodSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replace } from '../../../../plugins/tools/tool-patch/replace.ts'
import { bench } from './support.ts'

const wanted = (old: string, after: string) => ({ name: 'f', old, new: after, all: false })

describe('a text that is there once', () => {
  test('is replaced; all else stays: mode bits, byte order mark, line ends, the open end', async () => {
    await using files = await bench({ 'run.sh': '\uFEFFecho 1\r\necho 2\r\necho 3' })
    chmodSync(files.at('run.sh'), 0o750)
    const { text, data } = await files.replace('run.sh', 'echo 2\n', 'echo two\necho more\n')
    expect(text).toBe('Changed run.sh (+2 -1)')
    expect(files.get('run.sh')).toBe('\uFEFFecho 1\r\necho two\r\necho more\r\necho 3')
    expect(statSync(files.at('run.sh')).mode & 0o777).toBe(0o750)
    expect(data.files[0]?.diff).toContain('-echo 2\n+echo two\n+echo more')
  })

  test('comes back when the change is taken back, whatever is around it', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '\n', 'ü', '{'), maxLength: 12 })
    const text = fc.tuple(piece, piece, piece, fc.constantFrom('\n', '\r\n'))
    fc.assert(
      fc.property(text, ([before, after, around, end]) => {
        const [old, fresh] = [`<${before}>`, `[${after}]`]
        const whole = `${around}\n${old}${around}`.replaceAll('\n', end)
        const there = replace(whole, wanted(old, fresh))
        expect(there.text).toBe(`${around}\n${fresh}${around}`.replaceAll('\n', end))
        expect(replace(there.text, wanted(fresh, old)).text).toBe(whole)
      }),
    )
  })
})

describe('a text that was miscopied', () => {
  const file = 'class A {\n    run() {\n        return "x"\n    }\n}\n'
  test.for([
    ['white space at ends', '    run() {  \n        return "x"\t', '    run() {\n        return "y"', 'ends of lines'],
    ['indentation', 'run() {\n    return "x"', 'run() {\n    return "y"', 'another indentation'],
    ['white space', '  run()  {\n  return   "x"', '  run() {\n      return "y"', 'other white space'],
    ['quotes', '    run() {\n        return “x”', '    run() {\n        return "y"', 'quotes'],
    ['escapes', '    run() {\\n        return \\"x\\"', '    run() {\\n        return \\"y\\"', 'escapes'],
    ['blank lines around', '\n\n    run() {\n        return "x"\n\n', '    run() {\n        return "y"', 'blank lines'],
    [
      'a middle line',
      '    run() {\n        return "xyz"\n    }',
      '    run() {\n        return "y"\n    }',
      'first and last',
    ],
    ['a few letters', '    run() {\n        retrun "x"', '    run() {\n        return "y"', 'likeness'],
  ])('in its %s is found all the same, and that is said', ([, old, after, how]) => {
    const result = replace(file, wanted(old as string, after as string))
    expect(result.how).toContain(how)
    expect(result.text).toContain('return "y"')
    expect(result.text.startsWith('class A {\n    run() {\n')).toBe(true)
    expect(result.text.endsWith('    }\n}\n')).toBe(true)
  })

  test('gets the indentation of the file, deeper lines included', () => {
    const after = 'run() {\n    if (a) {\n        b()\n    }\n}'
    const result = replace(file, wanted('run() {\n    return "x"\n}', after))
    expect(result.text).toBe('class A {\n    run() {\n        if (a) {\n            b()\n        }\n    }\n}\n')
  })

  test('can be taken out by whole lines', () => {
    expect(replace('a\n    b\nc\n', wanted('\tb', '')).text).toBe('a\nc\n')
    expect(replace('a\n    b', wanted('   b   ', '')).text).toBe('a\n')
  })
})

describe('what is refused', () => {
  test('is a text in several places, with their lines, unless all are meant', async () => {
    await using files = await bench({ f: 'x = 1\ny = 2\nx = 1\n' })
    await expect(files.replace('f', 'x = 1', 'x = 2')).rejects.toMatchObject({
      code: 'PATCH_AMBIGUOUS',
      message: expect.stringContaining('2 times: lines 1, 3'),
    })
    const { text } = await files.replace('f', 'x = 1', 'x = 2', 'all')
    expect(text).toBe('Changed f in 2 places (+2 -2)')
    expect(files.get('f')).toBe('x = 2\ny = 2\nx = 2\n')
  })

  test('is a text that is only like several places, even when all are meant', () => {
    const text = 'const alpha = compute(1)\nconst alphb = compute(1)\n'
    const all = { ...wanted('const alphx = compute(1)', 'z'), all: true }
    expect(() => replace(text, all)).toThrow(expect.objectContaining({ code: 'PATCH_AMBIGUOUS' }))
  })

  test('is a text that is not there: what is like it is shown with its lines', async () => {
    await using files = await bench({ f: 'one\nfunction total(items) {\n  return items.length\n}\n' })
    const miss = files.replace('f', 'function total(list, tax) {\n  return sum(list) * tax\n}', 'x')
    await expect(miss).rejects.toMatchObject({
      code: 'PATCH_NOT_FOUND',
      message: expect.stringMatching(/Most like it, \d+ %, are lines 2-4:\n2\tfunction total\(items\) \{/),
    })
    await expect(files.replace('f', 'zzzz qqqq', 'one')).rejects.toThrow('new_string is there already, in line 1')
  })

  test('more firmly after three failures on one file, until one succeeds', async () => {
    await using files = await bench({ f: 'one\n', g: 'one\n' })
    const miss = async (name: string) => {
      const error: unknown = await files.replace(name, 'zebra', 'x').catch((thrown: unknown) => thrown)
      return (error as Error).message
    }
    expect([await miss('f'), await miss('f'), await miss('g')].join()).not.toContain('failure')
    expect(await miss('f')).toContain('failure 3 on this file. Do not guess again: read the file now')
    await files.replace('f', 'one', 'two')
    expect(await miss('f')).not.toContain('failure')
  })

  test('is a call that says too little, nothing new, or names no file', async () => {
    await using files = await bench({ f: 'a\n' })
    await expect(files.call('patch', { path: 'f' })).rejects.toMatchObject({ code: 'PATCH_INPUT' })
    await expect(files.call('patch', { mode: 'patch' })).rejects.toMatchObject({ code: 'PATCH_INPUT' })
    await expect(files.replace('f', '', 'x')).rejects.toMatchObject({ code: 'PATCH_INPUT' })
    await expect(files.replace('f', 'a', 'a')).rejects.toMatchObject({ code: 'PATCH_INPUT' })
    await expect(files.replace('none', 'a', 'b')).rejects.toMatchObject({ code: 'PATCH_MISSING' })
  })

  test('is what the rules about files forbid: secrets, binary data, a secret shown as ***', async () => {
    await using files = await bench({ '.env': 'A=1\n', bin: Buffer.from([1, 0, 2]), ini: 'key = canary-secret\n' })
    await expect(files.replace('.env', 'A=1', 'A=2')).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    await expect(files.replace('bin', 'a', 'b')).rejects.toMatchObject({ code: 'FILE_BINARY' })
    await expect(files.replace('ini', 'key = ', '# ***\nkey = ')).rejects.toMatchObject({ code: 'FILE_MASKED' })
    await expect(files.replace('/etc/hosts', 'a', 'b')).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    const { data } = await files.replace('ini', 'key', 'token')
    expect(JSON.stringify(data)).not.toContain('canary')
    expect(files.get('ini')).toBe('token = canary-secret\n')
  })
})

test('a file that someone else changed since it was read is changed on top of that, and that is said', async () => {
  await using files = await bench({ f: 'a\nb\n' })
  await files.call('read_file', { path: 'f' })
  files.put('f', 'a\nb\nc\n')
  const { text } = await files.replace('f', 'a', 'x')
  expect(text).toContain('f was changed by another program after you last saw it; their change is kept')
  expect(files.get('f')).toBe('x\nb\nc\n')
  expect((await files.replace('f', 'b', 'y')).text).toBe('Changed f (+1 -1)')
})

test('changes of one file at the same time happen one after the other', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `value${at}`)
  await using files = await bench({ f: names.map((name) => `${name}\n`).join('') })
  await Promise.all(names.map((name) => files.replace('f', `${name}\n`, `${name} changed\n`)))
  expect(files.get('f')).toBe(names.map((name) => `${name} changed\n`).join(''))
})
