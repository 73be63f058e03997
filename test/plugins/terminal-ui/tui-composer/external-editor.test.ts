import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { clipboardPicture, editOutside } from '../../../../plugins/terminal-ui/tui-composer/external-editor.ts'
import { png } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

function setUp(environment: Readonly<Record<string, string>>) {
  const bin = temporaryFolder()
  const clock = virtualClock()
  const ending = new AbortController()
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
    return join(bin, name)
  }
  const variables: Record<string, string> = { PATH: `${bin}:/usr/bin:/bin`, ...environment }
  const host = { clock, signal: ending.signal, environment: (name: string) => variables[name] }
  return { bin, clock, ending, program, host, variables }
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => `${errorCode(error)}: ${(error as Error).message}`,
  )

test('the editor gets a file of the user alone that is gone afterwards', async () => {
  const { program, host, variables, bin } = setUp({})
  variables['EDITOR'] =
    `${program('edit', `stat -c %a "$2" > ${bin}/mode; echo "$2" > ${bin}/name; printf 'new\\n\\n' > "$2"`)} -x`
  expect(await editOutside('old', host)).toBe('new\n')
  const name = readFileSync(join(bin, 'name'), 'utf8').trim()
  expect(name).toMatch(/\.md$/)
  expect([readFileSync(join(bin, 'mode'), 'utf8').trim(), existsSync(dirname(name))]).toEqual(['600', false])
})

test('an editor that fails or is not there is named', async () => {
  const { program, host, variables } = setUp({ VISUAL: '/no/such/editor' })
  expect(await failure(editOutside('old', host))).toMatch(
    /^TUI_EDITOR: The editor "\/no\/such\/editor" failed: it ended/,
  )
  variables['VISUAL'] = program('cut-off', 'kill -9 $$')
  expect(await failure(editOutside('old', host))).toMatch(/ended with (SIGKILL|137)/)
})

test('the picture of a Wayland clipboard is asked for by its kind', async () => {
  const { bin, program, host } = setUp({ WAYLAND_DISPLAY: 'wayland-0' })
  writeFileSync(join(bin, 'picture'), png(5, 6))
  program(
    'wl-paste',
    `case "$*" in --list-types) printf 'text/html\\nimage/png\\n';; *image/png) cat ${bin}/picture;; esac`,
  )
  expect(Buffer.from(await clipboardPicture(host))).toEqual(png(5, 6))
})

test('a clipboard without a picture, and a machine without a program for it, are told apart', async () => {
  const { program, host, variables } = setUp({ DISPLAY: ':0' })
  variables['PATH'] = variables['PATH']?.split(':')[0] ?? ''
  expect(await failure(clipboardPicture(host))).toMatch(/^TUI_CLIPBOARD: .*Install wl-paste/)
  program('xclip', "echo 'TARGETS UTF8_STRING'")
  expect(await failure(clipboardPicture(host))).toBe('TUI_CLIPBOARD: There is no picture in the clipboard.')
})

test('a clipboard program that hangs is ended after five seconds', async () => {
  const { bin, clock, program, host } = setUp({ WAYLAND_DISPLAY: 'wayland-0' })
  program('wl-paste', `echo > ${bin}/started; exec sleep 1000`)
  const asked = failure(clipboardPicture(host))
  await vi.waitFor(() => expect(existsSync(join(bin, 'started'))).toBe(true), 5000)
  await clock.advance(5000)
  expect(await asked).toMatch(/no picture in the clipboard/)
  expect(clock.pending()).toBe(0)
})
