import { existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { shellQuote } from 'svc/sdk/shell'
import { describe, expect, test } from 'vitest'
import { openShell, processesWith, temporaryFolder } from './support.ts'

describe('one command', () => {
  test('gives its output, exit code and folder', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('echo out; (exit 7)')
    expect(outcome).toMatchObject({ end: 'done', exitCode: 7, cwd: folder.path })
    expect(outcome.bytes.toString()).toBe('out\n')
  })

  test('runs although an earlier one gave the word eval another meaning', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('eval() { :; }; alias eval=true')
    expect((await terminal.run('echo still here')).bytes.toString()).toBe('still here\n')
  })

  test('has both its outputs in the order in which it wrote them', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    expect(await terminal.text('for i in 1 2 3; do echo out$i; echo err$i >&2; done')).toBe(
      'out1\nerr1\nout2\nerr2\nout3\nerr3\n',
    )
  })

  test('can open its outputs by name as in any other shell', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    expect(await terminal.text('echo a > /dev/stderr; echo b | tee /dev/stderr')).toBe('a\nb\nb\n')
  })

  test('finds its input empty instead of waiting for it', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    expect(await terminal.text('cat; read -r line || echo nothing to read')).toBe('nothing to read\n')
  })

  test('does not get the descriptors through which its end is reported', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('{ printf "0\\0/\\n\\0" >&7; } 2>/dev/null || echo closed')
    expect(outcome.bytes.toString()).toBe('closed\n')
    expect(await terminal.text('readlink /proc/self/fd/[3-9] | grep -c pipe; true')).toBe('0\n')
  })

  test('may write megabytes, of which none is lost', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const { bytes } = await terminal.run('head -c 5000000 /dev/zero')
    expect(bytes.length).toBe(5_000_000)
  })

  test('runs in its own folder when one is named, whatever the folder is called', async () => {
    using folder = temporaryFolder()
    const odd = join(folder.path, "it's a\n'folder'")
    mkdirSync(odd)
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('pwd; cd /', { workdir: odd })
    expect(outcome.bytes.toString()).toBe(`${odd}\n`)
    expect(outcome.cwd).toBe(folder.path)
    expect(await terminal.text('pwd')).toBe(`${folder.path}\n`)
  })
})

describe('any bytes', () => {
  test('that a command prints come back as they are, and never pass for its end', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const lookalike = fc.constantFrom('0\0/tmp\n\0', 'eval :\n', "'", '\0\0\0').map((text) => Buffer.from(text))
    const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(lookalike, anyBytes), { maxLength: 5 }), async (parts) => {
        const bytes = Buffer.concat(parts)
        const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
        const outcome = await terminal.run(`printf '${octal}'; (exit 5)`)
        expect(outcome).toMatchObject({ end: 'done', exitCode: 5 })
        expect(outcome.bytes.equals(bytes)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('of text reach a command unchanged', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const anyText = fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await terminal.text(`printf %s ${shellQuote(text)}`)).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('taken for a command come to an end, however broken it is', async () => {
    using folder = temporaryFolder()
    let terminal = await openShell(folder.path)
    const unit = fc.constantFrom(...'\'"`$\\{}(\n #;!<>*?[]~= -1a', 'if ', 'done', '<<a', '$((')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 20 }), async (command) => {
        if (!terminal.shell.alive) terminal = await openShell(folder.path)
        const outcome = await terminal.run(command, { timeoutMs: 10_000 })
        expect(['done', 'exited']).toContain(outcome.end)
        // Bash itself crashes now and then on such commands; a shell that is left must be of use.
        const text = await terminal.text('echo usable')
        expect(terminal.shell.alive ? text : 'usable\n').toBe('usable\n')
      }),
      { numRuns: 150 },
    )
    await terminal[Symbol.asyncDispose]()
  })
})

describe('the state of a shell', () => {
  test('lasts from one command to the next', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('mkdir -p deep/er && cd deep/er; count=41; next() { echo $((count + 1)); }; export SEEN=yes')
    expect(await terminal.text('next; env | grep ^SEEN; pwd')).toBe(`42\nSEEN=yes\n${folder.path}/deep/er\n`)
    expect(terminal.shell.cwd).toBe(join(folder.path, 'deep/er'))
  })

  test('survives a command that does not parse', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('kept=1')
    for (const broken of ['if', 'echo "open', "echo 'open", '}', 'for x in', 'cat <<EOF']) {
      expect((await terminal.run(broken)).end, broken).toBe('done')
    }
    expect(await terminal.text('echo $kept')).toBe('1\n')
  })

  test('is not spoiled by a command that redirects, traces or stops at errors for good', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('exec > lost.txt 2>&1')
    expect(await terminal.text('echo visible; echo also >&2')).toBe('visible\nalso\n')
    await terminal.run('set -eu')
    expect((await terminal.run('false; echo $undefined; echo on')).bytes.toString()).toBe('\non\n')
    await terminal.run('trap "echo trap" DEBUG; PS4="% "')
    expect((await terminal.run('set -x; true')).end).toBe('done')
    const outcome = await terminal.run('set +x; trap - DEBUG; cd /')
    expect(outcome).toMatchObject({ end: 'done', exitCode: 0, cwd: '/' })
  })

  test('ends when a command ends the shell, and the exit code is that of the shell', async () => {
    using folder = temporaryFolder()
    for (const [command, exitCode] of [
      ['exit 3', 3],
      ['kill -9 $$', 137],
      ['exec true', 0],
      ['set -e; false', 1],
    ] as const) {
      await using terminal = await openShell(folder.path)
      expect(await terminal.run(`echo before; ${command}; echo after`)).toMatchObject({ end: 'exited', exitCode })
      expect(terminal.shell.alive, command).toBe(false)
    }
  })

  test('that has ended says so at once when it is asked for more', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('exit 9')
    expect(await terminal.run('echo more')).toMatchObject({ end: 'exited', exitCode: 9 })
  })

  test('ends without waiting for ever when a command closes every descriptor it finds', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('for fd in /proc/$$/fd/*; do eval "exec ${fd##*/}>&-"; done')
    expect(outcome.end).toBe('exited')
  })
})

describe('a command in the background', () => {
  test('does not hold up the one that started it, and is heard later', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const heard = new Promise<string>((resolve) => {
      terminal.shell.onIdleOutput = (chunk) => resolve(chunk.toString())
    })
    expect(await terminal.text('mkfifo gate; (read -r _ < gate; echo late) & echo started')).toBe('started\n')
    await writeFile(join(folder.path, 'gate'), 'open\n')
    expect(await heard).toBe('late\n')
  })

  test('ends with the shell', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    await terminal.run('sleep 300 & setsid sleep 300 & (setsid sh -c "sleep 300 & sleep 300" &)')
    while (processesWith(terminal.mark).length <= 3) await new Promise((resolve) => setImmediate(resolve))
    await terminal.shell.close()
    expect(processesWith(terminal.mark)).toEqual([])
  })
})

describe('stopping a command', () => {
  test('after its time kills all it started, runs nothing of the rest, and keeps the folder', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    mkdirSync(join(folder.path, 'deep'))
    const command = 'cd deep; (sleep 300; touch a) & setsid sh -c "sleep 300; touch b"; touch c'
    const outcome = await terminal.run(command, { timeoutMs: 300 })
    expect(outcome).toMatchObject({ end: 'timeout', exitCode: 124, cwd: join(folder.path, 'deep') })
    expect(processesWith(terminal.mark)).toEqual([])
    for (const file of ['a', 'b', 'c']) expect(existsSync(join(folder.path, 'deep', file))).toBe(false)
  })

  test('gives a program the chance to clean up, and kills one that does not take it', async () => {
    using folder = temporaryFolder()
    await using polite = await openShell(folder.path)
    await polite.run(`bash -c 'trap "touch cleaned; exit" TERM; while :; do sleep 0.05; done'`, { timeoutMs: 300 })
    expect(existsSync(join(folder.path, 'cleaned'))).toBe(true)
    await using stubborn = await openShell(folder.path)
    const outcome = await stubborn.run(`bash -c 'trap "" TERM; while :; do sleep 0.05; done'`, { timeoutMs: 300 })
    expect(outcome.exitCode).toBe(124)
    expect(processesWith(stubborn.mark)).toEqual([])
  })

  test('keeps what it had written', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('echo half; sleep 300', { timeoutMs: 300 })
    expect(outcome.bytes.toString()).toBe('half\n')
  })

  test('by a signal ends it with 130', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const stop = new AbortController()
    const running = terminal.shell.run('echo running; sleep 300', { signal: stop.signal, onOutput: () => stop.abort() })
    expect(await running).toMatchObject({ end: 'interrupted', exitCode: 130 })
    expect(processesWith(terminal.mark)).toEqual([])
  })

  test('before it began leaves the shell as it was', async () => {
    using folder = temporaryFolder()
    await using terminal = await openShell(folder.path)
    const outcome = await terminal.run('touch never', { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ end: 'not-run', exitCode: 130 })
    expect(await terminal.text('ls')).toBe('')
  })
})
