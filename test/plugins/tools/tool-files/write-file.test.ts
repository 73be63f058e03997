import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WriteData } from '../../../../plugins/tools/tool-files/write-file.ts'
import { fileTools, workspace } from './support.ts'

describe('writing a file', () => {
  test('makes it and the folders it needs, and says so', async () => {
    using folder = workspace()
    await using files = await fileTools()
    const input = { path: 'a/b/c.txt', content: 'one\ntwo\n' }
    const { text, data } = await files.call<WriteData>('write_file', input, folder.path)
    expect(readFileSync(folder.at('a/b/c.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(text).toBe('Created a/b/c.txt: 2 lines, 8 bytes.')
    expect(data).toMatchObject({ change: 'created', path: folder.at('a/b/c.txt'), lines: 2 })
  })

  test('replaces one that is there, keeps its mode, and says what changed', async () => {
    using folder = workspace({ 'run.sh': 'echo 1\necho 2\necho 3\n' })
    chmodSync(folder.at('run.sh'), 0o750)
    await using files = await fileTools()
    const content = 'echo 1\necho two\necho 3\necho 4\n'
    const { text, data } = await files.call<WriteData>('write_file', { path: 'run.sh', content }, folder.path)
    expect(text).toBe('Replaced run.sh: 3 lines before, now 4 lines (+2 -1), 30 bytes.')
    expect(data.diff).toBe('@@ -1,3 +1,4 @@\n echo 1\n-echo 2\n+echo two\n echo 3\n+echo 4')
    expect(statSync(folder.at('run.sh')).mode & 0o777).toBe(0o750)
    expect(readdirSync(folder.path)).toEqual(['run.sh'])
  })

  test('does not touch one that holds the same already', async () => {
    using folder = workspace({ 'a.txt': 'same\n' })
    const before = statSync(folder.at('a.txt'), { bigint: true })
    await using files = await fileTools()
    const { text } = await files.call('write_file', { path: 'a.txt', content: 'same\n' }, folder.path)
    expect(text).toContain('Unchanged')
    const after = statSync(folder.at('a.txt'), { bigint: true })
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
  })

  test('keeps the line ends and the byte order mark of the file', async () => {
    using folder = workspace({ 'crlf.txt': 'a\r\nb\r\n', 'bom.txt': '\uFEFFa\n', 'mixed.txt': 'a\r\nb\n' })
    await using files = await fileTools()
    const write = async (path: string, content: string) => {
      await files.call('write_file', { path, content }, folder.path)
      return readFileSync(folder.at(path), 'utf8')
    }
    expect(await write('crlf.txt', 'c\nd\n')).toBe('c\r\nd\r\n')
    expect(await write('bom.txt', 'b\n')).toBe('\uFEFFb\n')
    expect(await write('mixed.txt', 'c\nd\n')).toBe('c\nd\n')
  })

  test('replaces binary and large files without comparing', async () => {
    using folder = workspace({ bin: Buffer.from([0, 1, 2, 255]), large: 'x\n'.repeat(600_000) })
    await using files = await fileTools()
    for (const path of ['bin', 'large']) {
      const { data } = await files.call<WriteData>('write_file', { path, content: 'small\n' }, folder.path)
      expect(data).toEqual({ path: folder.at(path), change: 'replaced', lines: 1 })
      expect(readFileSync(folder.at(path), 'utf8')).toBe('small\n')
    }
  })

  test('gives a diff that leads from the old text to the new one', async () => {
    using folder = workspace()
    await using files = await fileTools()
    let count = 0
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const path = `${++count}.txt`
        folder.put(path, before)
        const { data } = await files.call<WriteData>('write_file', { path, content: after }, folder.path)
        expect(readFileSync(folder.at(path), 'utf8')).toBe(after)
        if (data.change === 'replaced') {
          expect(applyPatch(before, `--- t\n+++ t\n${data.diff}\n`)).toBe(after)
        } else expect(after).toBe(before)
      }),
      { numRuns: 60 },
    )
  })

  test('cuts a long diff', async () => {
    using folder = workspace({ 'a.txt': 'old\n'.repeat(900) })
    await using files = await fileTools()
    const input = { path: 'a.txt', content: 'new\n'.repeat(900) }
    const { data } = await files.call<WriteData>('write_file', input, folder.path)
    expect(data.diff?.split('\n')).toHaveLength(201)
    expect(data.diff).toMatch(/\n\.\.\. 1601 more lines$/)
  })
})

describe('links', () => {
  test('are followed, and where the text went is said', async () => {
    using outside = workspace({ 'real.txt': 'old' })
    using folder = workspace({ 'inner.txt': 'old' })
    symlinkSync('inner.txt', folder.at('near'))
    symlinkSync(outside.at('real.txt'), folder.at('far'))
    symlinkSync(outside.at('new.txt'), folder.at('dangling'))
    symlinkSync(outside.path, folder.at('dir'))
    await using files = await fileTools()
    const near = await files.call('write_file', { path: 'near', content: 'x' }, folder.path)
    expect(near.text).toContain(`leads through a link to ${folder.at('inner.txt')}]`)
    for (const [path, goal] of Object.entries({ far: 'real.txt', dangling: 'new.txt', 'dir/third.txt': 'third.txt' })) {
      const { text } = await files.call('write_file', { path, content: 'y' }, folder.path)
      expect(text).toContain(`${outside.at(goal)}, outside the working folder]`)
      expect(readFileSync(outside.at(goal), 'utf8')).toBe('y')
    }
    expect(readFileSync(folder.at('inner.txt'), 'utf8')).toBe('x')
  })

  test('in the path of the working folder itself are not worth a word', async () => {
    using folder = workspace({ 'real/x': '' })
    symlinkSync('real', folder.at('link'))
    await using files = await fileTools()
    const { text } = await files.call('write_file', { path: 'a.txt', content: 'x' }, folder.at('link'))
    expect(text).toBe('Created a.txt: 1 line, 1 byte.')
  })

  test('that go round in a circle are refused', async () => {
    using folder = workspace()
    symlinkSync('two', folder.at('one'))
    symlinkSync('one', folder.at('two'))
    await using files = await fileTools()
    const writing = files.call('write_file', { path: 'one', content: 'x' }, folder.path)
    await expect(writing).rejects.toMatchObject({ code: 'FILE_BAD_PATH' })
  })
})

describe('what is not written', () => {
  test('are files of the system, of svc, and of the user that hold or guard secrets', async () => {
    using folder = workspace()
    await using files = await fileTools()
    const { home } = files.kernel
    mkdirSync(join(home, 'profiles/work'), { recursive: true })
    symlinkSync('/etc', folder.at('etc'))
    const own = ['config.yaml', '.env', 'profiles/work/config.yaml', 'profiles/work/.env'].map((name) =>
      join(home, name),
    )
    const system = ['/etc/hosts', '/etc/systemd/system/x.service', '/boot/x', '/usr/bin/x', '/proc/sys/x', 'etc/new']
    for (const path of [...own, ...system, '~/.ssh/authorized_keys', '~/.netrc', '~/.config/autostart/x.desktop']) {
      const writing = files.call('write_file', { path, content: 'x' }, folder.path)
      await expect(writing, path).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    }
    expect(existsSync('/etc/new')).toBe(false)
    await files.call('write_file', { path: join(home, 'workspace/config.yaml'), content: 'x' }, folder.path)
    await files.call('write_file', { path: '.env', content: 'x' }, folder.path)
  })

  test('are folders, pipes, and paths that lead through a file', async () => {
    using folder = workspace({ 'a.txt': '', 'sub/x': '' })
    await using files = await fileTools()
    const codes = { sub: 'FILE_IS_FOLDER', 'new/': 'FILE_IS_FOLDER', 'a.txt/b': 'FILE_NOT_A_FOLDER' }
    for (const [path, code] of Object.entries(codes)) {
      await expect(files.call('write_file', { path, content: 'x' }, folder.path), path).rejects.toMatchObject({ code })
    }
    expect(readdirSync(folder.path).sort()).toEqual(['a.txt', 'sub'])
  })

  test('is a secret that was shown as ***, over the secret itself', async () => {
    using folder = workspace({ 'app.ini': 'user = me\npassword = canary-secret\n' })
    await using files = await fileTools('canary-secret')
    const content = 'user = you\npassword = ***\n'
    const writing = files.call('write_file', { path: 'app.ini', content }, folder.path)
    await expect(writing).rejects.toMatchObject({ code: 'FILE_MASKED' })
    expect(readFileSync(folder.at('app.ini'), 'utf8')).toContain('canary-secret')
    const other = { path: 'app.ini', content: 'user = you\n' }
    const { data } = await files.call<WriteData>('write_file', other, folder.path)
    expect(data.diff).toContain('-password = ***')
  })
})
