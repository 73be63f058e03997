/** The contract of the files of an environment: of a backend's own, and of those that are reached by its commands. */
import assert from 'node:assert/strict'
import type { EnvironmentFileChange, EnvironmentFiles } from '../../environments.ts'
import { type ContractCase, refusal } from './contract.ts'

/**
 * What is examined.
 * @since 0.2
 */
export interface OpenedEnvironmentFiles {
  readonly files: EnvironmentFiles
  /** An empty folder in the environment: absolute, without links. */
  readonly folder: string
  close(): Promise<void>
}

/**
 * How to open it.
 * @since 0.2
 */
export interface EnvironmentFilesSetup {
  open(): Promise<OpenedEnvironmentFiles>
}

type Opened = Pick<OpenedEnvironmentFiles, 'files' | 'folder'>

/** All bytes there are, and what shells, terminals and line readers change. */
const BYTES = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, at) => at)), Buffer.from('\r\n\n\0\n')])
const ODD_NAMES = ["it's", 'two words', '-n', '$HOME `x` "q"', 'ünï', 'a\nb', '*', 'x=1', ' edge ']

const CASES: Readonly<Record<string, (opened: Opened) => Promise<void>>> = {
  'what is missing is looked at without an error': async ({ files, folder }) => {
    const { version: _, ...info } = await files.info(`${folder}/no/such`)
    assert.deepEqual(info, { path: `${folder}/no/such`, kind: 'missing', size: 0, mode: 0 })
    assert.equal(readCode(await refusal('a missing file', () => files.read(`${folder}/none`))), 'ENOENT')
    assert.equal(
      readCode(await refusal('a missing folder', () => files.list(`${folder}/none`, { limit: 1 }))),
      'ENOENT',
    )
  },
  'what is written is read, byte by byte, with folders made for it': async ({ files, folder }) => {
    for (const bytes of [BYTES, Buffer.alloc(0), Buffer.alloc(300_000, BYTES)]) {
      const [written] = await files.write([{ path: `${folder}/a/b/file`, bytes }])
      const read = await files.read(`${folder}/a/b/file`)
      assert.deepEqual(Buffer.from(read.bytes), bytes)
      assert.equal(read.kind, 'file')
      assert.equal(read.size, bytes.length)
      assert.equal(read.version, written?.version)
      assert.deepEqual(await names(files, `${folder}/a/b`), ['file'], 'nothing is left beside it')
    }
  },
  'a range of a file is read': async ({ files, folder }) => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7) % 251))
    await files.write([{ path: `${folder}/long`, bytes }])
    for (const [offset, length] of [
      [0, 10],
      [65_530, 20],
      [131_072, 5],
      [199_990, 100],
      [250_000, 10],
    ] as const) {
      const read = await files.read(`${folder}/long`, { offset, length })
      assert.deepEqual(Buffer.from(read.bytes), bytes.subarray(offset, offset + length))
      assert.equal(read.size, bytes.length)
    }
    assert.deepEqual(
      Buffer.from((await files.read(`${folder}/long`, { offset: 199_000 })).bytes),
      bytes.subarray(199_000),
    )
  },
  'names may hold anything': async ({ files, folder }) => {
    await files.write(ODD_NAMES.map((name) => ({ path: `${folder}/${name}/${name}`, bytes: Buffer.from(name) })))
    for (const name of ODD_NAMES) {
      const read = await files.read(`${folder}/${name}/${name}`)
      assert.equal(Buffer.from(read.bytes).toString(), name)
      assert.equal(read.path, `${folder}/${name}/${name}`)
    }
    const { entries } = await files.list(folder, { limit: 100, depth: 1 })
    assert.deepEqual(entries.map(({ path }) => path).sort(), [...ODD_NAMES].sort())
    const inside = ODD_NAMES.map((name) => `${name}/${name}`)
    const all = await files.readAll(folder, [...inside, 'none', '-n'])
    assert.deepEqual(
      all.map((bytes) => bytes && Buffer.from(bytes).toString()),
      [...ODD_NAMES, undefined, undefined],
    )
  },
  'a file that is not as it was expected is not written': async ({ files, folder }) => {
    const path = `${folder}/file`
    const [first] = await files.write([{ path, bytes: Buffer.from('one'), expects: '' }])
    assert.equal(
      readCode(await refusal('a file that is there', () => files.write([change(path, 'two', '')]))),
      'ESTALE',
    )
    const [second] = await files.write([change(path, 'two', first?.version)])
    assert.notEqual(second?.version, first?.version)
    assert.equal(
      readCode(await refusal('an old version', () => files.write([change(path, 'xxx', first?.version)]))),
      'ESTALE',
    )
    assert.equal(await text(files, path), 'two')
    const gone = change(`${folder}/gone`, 'x', first?.version)
    assert.equal(readCode(await refusal('a file that went', () => files.write([gone]))), 'ESTALE')
    await files.write([{ path, expects: second?.version ?? '' }])
    assert.equal((await files.info(path)).kind, 'missing')
  },
  'several changes happen all or not at all': async ({ files, folder }) => {
    await files.write([change(`${folder}/a`, 'a'), change(`${folder}/b`, 'b')])
    const all = [change(`${folder}/a`, 'A'), { path: `${folder}/b` }, change(`${folder}/new/c`, 'C')]
    const wrong = change(`${folder}/d`, 'D', 'another version')
    await refusal('one that fails', () => files.write([...all, wrong]))
    assert.deepEqual([await text(files, `${folder}/a`), await text(files, `${folder}/b`)], ['a', 'b'])
    assert.equal((await files.info(`${folder}/new/c`)).kind, 'missing')
    const infos = await files.write(all)
    assert.deepEqual(
      infos.map(({ kind }) => kind),
      ['file', 'missing', 'file'],
    )
    assert.equal(await text(files, `${folder}/a`), 'A')
    const { entries } = await files.list(folder, { limit: 100 })
    assert.deepEqual(entries.map(({ path }) => path).sort(), ['a', 'new', 'new/c'], 'no copies are left')
  },
  'permissions are kept, and given to new files': async ({ files, folder }) => {
    await files.write([{ ...change(`${folder}/run`, '#!/bin/sh\n'), mode: 0o750 }])
    await files.write([change(`${folder}/run`, 'other')])
    assert.equal((await files.info(`${folder}/run`)).mode, 0o750)
    await files.write([{ ...change(`${folder}/run`, 'other'), mode: 0o600 }])
    assert.equal((await files.info(`${folder}/run`)).mode, 0o600)
  },
  'folders are no files, and files no folders': async ({ files, folder }) => {
    await files.write([change(`${folder}/sub/file`, 'x')])
    assert.equal((await files.info(`${folder}/sub`)).kind, 'folder')
    for (const [what, code, work] of [
      ['reading a folder', 'EISDIR', () => files.read(`${folder}/sub`)],
      ['writing a folder', 'EISDIR', () => files.write([change(`${folder}/sub`, 'x')])],
      ['a file as a folder', 'ENOTDIR', () => files.info(`${folder}/sub/file/x`)],
      ['listing a file', 'ENOTDIR', () => files.list(`${folder}/sub/file`, { limit: 10 })],
    ] as const)
      assert.equal(readCode(await refusal(what, work)), code, what)
  },
  'links are followed by looks, and neither by lists nor by writes': async ({ files, folder }) => {
    await files.write([change(`${folder}/real/file`, 'x')])
    await files.write([
      { path: `${folder}/way`, link: 'real' },
      { path: `${folder}/dead`, link: 'real/none' },
    ])
    assert.equal((await files.info(`${folder}/way/file`)).path, `${folder}/real/file`)
    assert.equal((await files.read(`${folder}/way/file`)).path, `${folder}/real/file`)
    assert.equal((await files.info(`${folder}/dead`)).path, `${folder}/real/none`)
    const through = change(`${folder}/way/new`, 'x')
    assert.equal(readCode(await refusal('a way through a link', () => files.write([through]))), 'ESTALE')
    const { entries } = await files.list(folder, { limit: 100, targets: true })
    assert.deepEqual(entries.map(({ path, kind, target }) => [path, kind, target]).sort(), [
      ['dead', 'link', 'real/none'],
      ['real', 'folder', undefined],
      ['real/file', 'file', undefined],
      ['way', 'link', 'real'],
    ])
    assert.deepEqual(await files.readAll(folder, ['dead', 'way']), [undefined, undefined])
    await files.write([change(`${folder}/way`, 'a file now')])
    assert.equal((await files.info(`${folder}/real`)).kind, 'folder', 'what a link leads to stays')
  },
  'a folder is listed to a depth, up to a limit, without what is closed': async ({ files, folder }) => {
    await files.write(['a', 'b/c', 'b/d/e', 'node_modules/x'].map((path) => change(`${folder}/${path}`, path)))
    const paths = async (options: { depth?: number; closed?: string[]; limit: number }) =>
      (await files.list(folder, options)).entries.map(({ path }) => path).sort()
    assert.deepEqual(await paths({ depth: 1, limit: 10 }), ['a', 'b', 'node_modules'])
    assert.deepEqual(await paths({ limit: 10, closed: ['node_modules', 'd'] }), [
      'a',
      'b',
      'b/c',
      'b/d',
      'node_modules',
    ])
    const { entries, cut } = await files.list(folder, { limit: 2 })
    assert.deepEqual([entries.length, cut], [2, true])
  },
  'names are found by a glob': async ({ files, folder }) => {
    const all = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js', '.hidden.ts', 'node_modules/e.ts', '.git/f.ts']
    await files.write(all.map((path) => change(`${folder}/${path}`, path)))
    const find = async (glob?: string) =>
      [...(await files.names(folder, { limit: 100, ...(glob !== undefined && { glob }) })).paths].sort()
    assert.deepEqual(await find(), ['.hidden.ts', 'a.ts', 'src/b.ts', 'src/d.js', 'src/deep/c.ts'])
    assert.deepEqual(await find('*.ts'), ['.hidden.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts'])
    assert.deepEqual(await find('src/*.ts'), ['src/b.ts'])
    assert.deepEqual(await find('src/**/*.{ts,js}'), ['src/b.ts', 'src/d.js', 'src/deep/c.ts'])
  },
  'lines are found, with those around them': async ({ files, folder }) => {
    const lines = ['one', 'two alpha', 'three', 'four', 'five alpha', 'six'].join('\n')
    await files.write([
      change(`${folder}/b.txt`, lines),
      change(`${folder}/a.txt`, 'Alpha.beta\nalphaXbeta\n'),
      { path: `${folder}/data.bin`, bytes: Buffer.from('alpha\0alpha\n') },
      change(`${folder}/.git/c`, 'alpha'),
    ])
    const search = async (more: object) => {
      const { lines: found, cut } = await files.search(folder, { pattern: 'alpha', limit: 100, ...more })
      const shown = found.map(({ path, line, text: each, match }) => `${path}:${line}${match ? ':' : '-'}${each}`)
      return cut ? [...shown, 'cut'] : shown
    }
    assert.deepEqual(await search({}), ['a.txt:2:alphaXbeta', 'b.txt:2:two alpha', 'b.txt:5:five alpha'])
    assert.deepEqual(await search({ glob: 'b.*', context: 1 }), [
      ...['b.txt:1-one', 'b.txt:2:two alpha', 'b.txt:3-three', 'b.txt:4-four', 'b.txt:5:five alpha', 'b.txt:6-six'],
    ])
    assert.deepEqual(await search({ pattern: '(?i)alpha.beta' }), ['a.txt:1:Alpha.beta', 'a.txt:2:alphaXbeta'])
    assert.deepEqual(await search({ pattern: 'a.b', literal: true }), ['a.txt:1:Alpha.beta'])
    assert.deepEqual(await search({ file: 'b.txt', limitOfFile: 1 }), ['b.txt:2:two alpha'])
    assert.deepEqual(await search({ limit: 1 }), ['a.txt:2:alphaXbeta', 'cut'])
    assert.deepEqual(await search({ pattern: 'nothing' }), [])
    assert.equal(readCode(await refusal('a pattern that does not parse', () => search({ pattern: '(a' }))), 'EBADMSG')
  },
  'what is stopped rejects with the reason': async ({ files, folder }) => {
    const reason = new Error('stopped')
    const signal = AbortSignal.abort(reason)
    assert.equal(await refusal('a look', () => files.info(folder, { signal })), reason)
    assert.equal(await refusal('a write', () => files.write([change(`${folder}/a`, 'x')], { signal })), reason)
    assert.equal((await files.info(`${folder}/a`)).kind, 'missing')
  },
}

/** The cases that `EnvironmentFiles` pass; each gets an empty folder.
 * @since 0.2
 */
export function environmentFilesContract(setup: EnvironmentFilesSetup): ContractCase[] {
  return Object.entries(CASES).map(([name, run]) => ({
    name,
    async run() {
      const opened = await setup.open()
      try {
        await run(opened)
      } finally {
        await opened.close()
      }
    },
  }))
}

function change(path: string, content: string, expects?: string): EnvironmentFileChange {
  return { path, bytes: Buffer.from(content), ...(expects !== undefined && { expects }) }
}

async function text(files: EnvironmentFiles, path: string): Promise<string> {
  return Buffer.from((await files.read(path)).bytes).toString()
}

async function names(files: EnvironmentFiles, folder: string): Promise<string[]> {
  return (await files.list(folder, { limit: 100, depth: 1 })).entries.map(({ path }) => path)
}

function readCode(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code
}
