import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { structuredPatch } from 'diff'
import fc from 'fast-check'
import { type SvcError, Tools } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { fakeToolTurn } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { applyHunks } from '../../../../plugins/tools/tool-patch/hunks.ts'
import { Misses } from '../../../../plugins/tools/tool-patch/misses.ts'
import { patch } from '../../../../plugins/tools/tool-patch/patch.ts'
import { parsePatch, type Section } from '../../../../plugins/tools/tool-patch/v4a.ts'
import { bench } from './support.ts'

/** The hunks of a V4A patch that leads from one text to another, with so many lines around each change. */
function createPatch(before: string, after: string, context: number): readonly Section[] {
  const { hunks } = structuredPatch('f', 'f', before, after, '', '', { context })
  const lines = hunks.flatMap((hunk) => ['@@', ...hunk.lines.filter((line) => !line.startsWith('\\'))])
  return parsePatch(['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n'))
}

function apply(text: string, sections: readonly Section[]): string {
  const [section] = sections
  return section?.kind === 'update' ? applyHunks('f', text, section.hunks) : 'no update'
}

const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '+', '-', '@', '*', 'ü'), maxLength: 4 })
const lines = fc.array(line, { minLength: 1, maxLength: 14 })

describe('a patch made from two texts', () => {
  test('leads from the first to the second, with either line end and an open end, and back', () => {
    const scenario = fc.tuple(lines, lines, fc.constantFrom('\n', '\r\n'), fc.constantFrom('open', 'closed'))
    fc.assert(
      fc.property(scenario, ([one, two, end, finish]) => {
        const whole = (list: readonly string[]) => list.join('\n') + (finish === 'open' ? '' : '\n')
        const plain = [whole([...one, 'last']), whole([...two, 'last'])] as const
        fc.pre(plain[0] !== plain[1])
        const [before, after] = plain.map((text) => text.replaceAll('\n', end)) as [string, string]
        const there = apply(before, createPatch(plain[0], plain[1], 100))
        expect(there).toBe(after)
        expect(apply(there, createPatch(plain[1], plain[0], 100))).toBe(before)
      }),
    )
  })

  test('with few lines around each change leads to the second or is refused as ambiguous, never elsewhere', () => {
    let refused = 0
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 3 }), (one, two, context) => {
        const [before, after] = [one, two].map((list) => `${list.join('\n')}\n`) as [string, string]
        fc.pre(before !== after)
        try {
          expect(apply(before, createPatch(before, after, context))).toBe(after)
        } catch (error) {
          if ((error as SvcError).code !== 'PATCH_AMBIGUOUS') throw error
          refused++
        }
      }),
      { numRuns: 300 },
    )
    expect(refused).toBeLessThan(150)
  })
})

describe('a patch of several files', () => {
  test('adds, changes, removes and moves them, and tells each with its diff', async () => {
    await using files = await bench({ 'a.txt': 'one\ntwo\n', 'old.txt': 'bye\n', 'src/m.sh': 'run\nstop\n' })
    chmodSync(files.at('src/m.sh'), 0o755)
    const { text, data } = await files.patch(
      ...['*** Add File: new/b.txt', '+first', '+', '+third'],
      ...['*** Update File: a.txt', '@@', ' one', '-two', '+2'],
      '*** Delete File: old.txt',
      ...['*** Update File: src/m.sh', '*** Move to: bin/m.sh', '@@', '-stop', '+halt'],
    )
    expect(files.get('new/b.txt')).toBe('first\n\nthird\n')
    expect(files.get('a.txt')).toBe('one\n2\n')
    expect(files.get('bin/m.sh')).toBe('run\nhalt\n')
    expect(statSync(files.at('bin/m.sh')).mode & 0o777).toBe(0o755)
    expect(readdirSync(files.path).sort()).toEqual(['a.txt', 'bin', 'new', 'src'])
    expect(readdirSync(files.at('src'))).toEqual([])
    expect(text).toBe(
      'Created new/b.txt (+3 -0)\nChanged a.txt (+1 -1)\nDeleted old.txt (+0 -1)\nMoved src/m.sh to bin/m.sh',
    )
    expect(data.files.map(({ change }) => change)).toEqual(['created', 'replaced', 'removed', 'created'])
    expect(data.files[1]?.diff).toContain('-two\n+2')
    expect(data.files[3]).toMatchObject({ path: files.at('bin/m.sh'), movedFrom: 'src/m.sh' })
  })

  test.for([
    ['a file to change does not exist', ['*** Update File: none', '@@', '-x', '+y'], 'PATCH_MISSING'],
    ['a file to remove does not exist', ['*** Delete File: none'], 'PATCH_MISSING'],
    ['a file to add exists', ['*** Add File: b.txt', '+x'], 'PATCH_EXISTS'],
    ['a move would overwrite a file', ['*** Update File: b.txt', '*** Move to: c.txt'], 'PATCH_EXISTS'],
    ['lines are not there', ['*** Update File: b.txt', '@@', '-absent', '+y'], 'PATCH_NOT_FOUND'],
    ['lines are there twice', ['*** Update File: b.txt', '@@', '-b', '+y'], 'PATCH_AMBIGUOUS'],
    ['a path leads out of the folder', ['*** Add File: ../x', '+x'], 'PATCH_PATH'],
    ['a path is absolute and elsewhere', ['*** Add File: /tmp/svc-elsewhere/x', '+x'], 'PATCH_PATH'],
    ['a link leads out of the folder', ['*** Add File: out/x', '+x'], 'PATCH_PATH'],
    ['a file is named twice', ['*** Add File: n', '+x', '*** Add File: ./n', '+y'], 'FILE_TWICE'],
    ['a file is binary', ['*** Update File: bin', '@@', '-x', '+y'], 'FILE_BINARY'],
    ['a folder stands where a file is meant', ['*** Update File: sub', '@@', '-x', '+y'], 'FILE_IS_FOLDER'],
    ['a file stands where a folder is meant', ['*** Add File: b.txt/x', '+x'], 'FILE_NOT_A_FOLDER'],
  ] as const)('changes nothing at all when %s', async ([, section, code]) => {
    await using files = await bench({
      'a.txt': 'a\n',
      'b.txt': 'b\nb\n',
      'c.txt': '',
      bin: Buffer.from([0]),
      'sub/x': '',
    })
    symlinkSync('/tmp', files.at('out'))
    const patching = files.patch(
      '*** Add File: fresh/f.txt',
      '+x',
      '*** Update File: a.txt',
      '@@',
      '-a',
      '+A',
      ...section,
    )
    await expect(patching).rejects.toMatchObject({ code })
    expect(readdirSync(files.path).sort()).toEqual(['a.txt', 'b.txt', 'bin', 'c.txt', 'out', 'sub'])
    expect([files.get('a.txt'), files.get('b.txt')]).toEqual(['a\n', 'b\nb\n'])
  })

  test('that finds a file in its way at the last moment leaves nothing behind, no folder and no copy', async () => {
    await using files = await bench({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/x': '' })
    const turn = { sessionId: 's', cwd: files.path, signal: new AbortController().signal }
    const editing = files.kernel.use(GuardedFiles).edit(['a.txt', 'deep/er/n.txt', 'late'], turn, () => {
      mkdirSync(files.at('late'))
      return [{ text: 'A\n' }, { text: 'n\n' }, { text: 'l\n' }]
    })
    await expect(editing).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect(files.get('a.txt')).toBe('a\n')
    expect(readdirSync(files.path).sort()).toEqual(['a.txt', 'b.txt', 'late', 'sub'])
  })
})

describe('the format', () => {
  test('may come in a fence, without its marks, with numbers of a unified diff, and with blank lines between', async () => {
    await using files = await bench({ f: 'a\n\nb\nc\n' })
    const text = '```\n*** Update File: f\n\n@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n\n\n*** Add File: g\n+x\n```'
    await files.call('patch', { mode: 'patch', patch: text })
    expect(files.get('f')).toBe('a\n\nB\nc\n')
    expect(files.get('g')).toBe('x\n')
  })

  test('tells places by lines before them, one in the other, and by the end of the file', async () => {
    const twins = 'class A\n  def run\n    x\n  end\nclass B\n  def run\n    x\n  end\n'
    await using files = await bench({ f: twins, g: 'x\ny\nx\n' })
    await files.patch('*** Update File: f', '@@ class B', '@@   def run', '-    x', '+    y')
    expect(files.get('f')).toBe('class A\n  def run\n    x\n  end\nclass B\n  def run\n    y\n  end\n')
    await files.patch('*** Update File: g', '@@', '-x', '+z', '*** End of File')
    expect(files.get('g')).toBe('x\ny\nz\n')
    await files.patch('*** Update File: g', '@@', '+last')
    expect(files.get('g')).toBe('x\ny\nz\nlast\n')
  })

  test('keeps lines that stay as the file has them, not as the patch spells them', async () => {
    await using files = await bench({ f: 'if (a) {\t\r\n    b()\r\n}\r\n' })
    await files.patch('*** Update File: f', '@@', ' if (a) {', '-  b()', '+    c()', ' }')
    expect(files.get('f')).toBe('if (a) {\t\r\n    c()\r\n}\r\n')
  })

  test.for([
    ['', 'there is no "\\*\\*\\* Add File'],
    ['hello', 'is expected'],
    ['*** Move to: x', 'must follow'],
    ['*** Update File: f', 'nothing is said'],
    ['*** Update File: f\n@@\n a', 'has no line that begins with "\\+" or "-"'],
    ['*** Update File: f\n@@\nwrong', 'each line of a change'],
    ['*** Add File: f\nwrong', 'begins with "\\+"'],
    ['*** Add File:', 'path is missing'],
  ])('%j is refused with the line that is wrong', ([text, said]) => {
    const thrown = {
      code: 'PATCH_SYNTAX',
      message: expect.stringMatching(new RegExp(`^Line \\d+ of the patch.*${said}`)),
    }
    expect(() => parsePatch(text as string)).toThrow(expect.objectContaining(thrown))
  })
})

test('the tool takes little room in a request and names every file it will touch', async () => {
  await using files = await bench()
  expect(files.kernel.problems()).toEqual([])
  const tool = files.kernel.all(Tools).get('patch')
  const parameters = tool?.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
  const size = JSON.stringify({ name: tool?.name, description: tool?.description, parameters }).length
  expect(size).toBeLessThan(800)
  expect(tool?.effect).toBe('undoable')
  const patch = '*** Add File: a\n+x\n*** Update File: ./b\n*** Move to: c/../d\n*** Delete File: /w/e\n'
  expect(tool?.paths?.({ mode: 'patch', patch }, '/w')).toEqual(['/w/a', '/w/b', '/w/d', '/w/e'])
  expect(tool?.paths?.({ mode: 'replace', path: './a//b' }, '/w')).toEqual(['/w/a/b'])
})

test('a folder that becomes a link after its path was judged does not lead a patch out of the working folder', async () => {
  await using files = await bench({ 'sub/f.txt': 'a\n' })
  await using outside = await bench({ 'f.txt': 'a\n' })
  const guard = files.kernel.use(GuardedFiles)
  const exchanging: GuardedFiles = {
    ...guard,
    async writable(path, cwd) {
      const judged = await guard.writable(path, cwd)
      renameSync(files.at('sub'), files.at('aside'))
      symlinkSync(outside.path, files.at('sub'))
      return judged
    },
  }
  const host = { guard: () => exchanging, isIsolated: () => false, misses: new Misses() }
  const text = ['*** Begin Patch', '*** Update File: sub/f.txt', '@@', '-a', '+b', '*** End Patch'].join('\n')
  const patching = patch({ mode: 'patch', patch: text, replace_all: false }, fakeToolTurn({ cwd: files.path }), host)
  await expect(patching).rejects.toMatchObject({ code: 'PATCH_PATH' })
  expect(outside.get('f.txt')).toBe('a\n')
})
