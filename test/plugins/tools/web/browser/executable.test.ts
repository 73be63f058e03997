import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SlashCommands } from 'svc/sdk'
import { unreachablePerson } from 'svc/sdk/host'
import { Browser } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { findExecutable } from '../../../../../plugins/tools/web/browser/executable.ts'
import { removeFolder } from '../../../../support/remove-folder.ts'
import { openKernel } from './support.ts'

function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-browser-'))
  onTestFinished(() => removeFolder(folder))
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

test('the config comes before CHROME_PATH, and both before the path', () => {
  const folder = folderWith('chromium', 'google-chrome', 'mine', 'yours')
  const look = (configured: string, chromePath?: string) => findExecutable({ configured, chromePath, path: folder })
  expect(look('')).toEqual({ path: join(folder, 'chromium') })
  expect(look('', join(folder, 'yours'))).toEqual({ path: join(folder, 'yours') })
  expect(look('mine', join(folder, 'yours'))).toEqual({ path: join(folder, 'mine') })
})

test('a browser that is named and not there is said to be missing, no other one is taken', () => {
  const path = folderWith('chromium')
  expect(findExecutable({ configured: '/no/such', chromePath: undefined, path })).toEqual({
    missing: 'browser.executable names /no/such, which cannot be run',
  })
})

test('without a browser the service says how to get one, and the command says it too', async () => {
  await using kernel = await openKernel({}, { PATH: folderWith() })
  expect(kernel.use(Browser).missing()).toMatch(/^needs Chromium or Chrome: install one/)
  await expect(kernel.use(Browser).open('s')).rejects.toMatchObject({ code: 'BROWSER_MISSING' })
  const command = kernel.all(SlashCommands).get('browser')
  const at = {
    sessionId: 's',
    surface: 'cli',
    cwd: '/',
    signal: new AbortController().signal,
    conversation: {} as never,
    person: unreachablePerson,
  } as const
  expect(await command?.run('', at)).toMatch(/Browser: none; needs Chromium[\s\S]*Not running/)
  expect(await command?.run('disconnect', at)).toBe('No running browser was connected.')
  expect(await command?.run('dance', at)).toMatch(/^Type \/browser connect/)
  await expect(command?.run('connect 127.0.0.1:1', at)).rejects.toMatchObject({
    code: 'BROWSER_CONNECT',
    message: expect.stringMatching(/^No browser answers at http:\/\/127.0.0.1:1: .*--remote-debugging-port/),
  })
  expect(await command?.run('status', at)).toMatch(/Browser: none/)
})
