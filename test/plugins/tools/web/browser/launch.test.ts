/** Real browsers, started by real processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Browser } from 'svc/sdk/web'
import { describe, expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../support/remove-folder.ts'
import { bundleScript } from '../../../sessions/storage/support.ts'
import { chromium, listBrowsers, listProcesses, listProfiles, openKernel, PATH, SKIPPED } from './support.ts'

const script = await bundleScript(join(import.meta.dirname, 'launch-child.ts'))

describe.skipIf(!chromium)(`a browser of our own${SKIPPED}`, () => {
  test('dies with all its processes when svc is killed with -9, and its profile goes at the next start', async () => {
    const child = spawn(process.execPath, [script, chromium ?? ''], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(createInterface(child.stdout), 'line')
    const browser = Number(line)
    expect(listProcesses(browser).length).toBeGreaterThan(2)
    expect(listProfiles(child.pid ?? 0)).toHaveLength(1)
    child.kill('SIGKILL')
    await expect.poll(() => listProcesses(browser), { timeout: 15_000 }).toEqual([])
    await using kernel = await openKernel()
    await kernel.use(Browser).open('s')
    expect(listProfiles(child.pid ?? 0)).toEqual([])
  })

  test('ends with the plugin, and nothing of it is left', async () => {
    const before = listBrowsers(process.pid)
    const kernel = await openKernel()
    const session = await kernel.use(Browser).open('s')
    await session.openTab()
    const [started = 0] = listBrowsers(process.pid).filter((pid) => !before.includes(pid))
    expect(started).toBeGreaterThan(0)
    await kernel.stop()
    expect(listProcesses(started)).toEqual([])
  })

  test('is closed when no one used it for long enough, and what comes next says so', async () => {
    await using kernel = await openKernel({ inactivity_timeout: 0.2 })
    const service = kernel.use(Browser)
    await service.open('s')
    await expect
      .poll(
        () =>
          service.session('s').then(
            () => 'there',
            (error: Error) => error.message,
          ),
        { timeout: 15_000 },
      )
      .toMatch(/was closed, as it was not used/)
    expect(await service.open('s')).toBeDefined()
  })

  test('that is killed fails what waits for it, and the next session gets a new one', async () => {
    await using kernel = await openKernel()
    const service = kernel.use(Browser)
    const before = listBrowsers(process.pid)
    const session = await service.open('s')
    const tab = await session.openTab()
    const [started = 0] = listBrowsers(process.pid).filter((pid) => !before.includes(pid))
    const answer = tab.target().send('Runtime.evaluate', { expression: 'new Promise(() => 0)', awaitPromise: true })
    const failed = expect(answer).rejects.toMatchObject({ code: 'BROWSER_GONE' })
    process.kill(started, 'SIGKILL')
    await failed
    await expect.poll(() => listProcesses(started), { timeout: 15_000 }).toEqual([])
    await expect(service.session('s')).rejects.toMatchObject({ code: 'BROWSER_NO_PAGE' })
    expect((await (await service.open('s')).openTab()).url).toBe('about:blank')
  })

  test('that another svc uses is connected to, and only tabs of ours are closed', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'svc-test-browser-'))
    const flags = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--no-first-run']
    const user = spawn(chromium ?? '', [...flags, '--no-sandbox', 'about:blank'], {
      detached: true,
      env: { PATH, HOME: profile },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(async () => {
      process.kill(-(user.pid ?? 0), 'SIGKILL')
      await expect.poll(() => listProcesses(user.pid ?? 0), { timeout: 10_000 }).toEqual([])
      removeFolder(profile)
    })
    const address = await new Promise<string>((resolve) => {
      createInterface(user.stderr).on('line', (line) => {
        const [, host] = /listening on ws:\/\/([^/]+)\//.exec(line) ?? []
        if (host) resolve(`http://${host}`)
      })
    })
    await using kernel = await openKernel({ cdp_url: address })
    const targets = async () => {
      const list = (await (await fetch(`${address}/json/list`)).json()) as { type: string }[]
      return list.filter(({ type }) => type === 'page').length
    }
    const before = await targets()
    const tab = await (await kernel.use(Browser).open('s')).openTab()
    await tab
      .target()
      .send('Runtime.evaluate', { expression: `open('about:blank', '_blank', 'noopener')`, userGesture: true })
    const session = await kernel.use(Browser).session('s')
    await expect.poll(() => session.tabs.length, { timeout: 10_000 }).toBe(2)
    expect(await targets()).toBe(before + 2)
    await kernel.stop()
    await expect.poll(targets, { timeout: 10_000 }).toBe(before)
  })

  test.for([
    ['at once', 'echo no libraries >&2\nexit 3'],
    [
      'and closes its connection before its last words arrive',
      "exec 3<&- 4>&-\nsetsid sh -c 'sleep 0.3; echo no libraries >&2' &\nsleep 0.1\nexit 3",
    ],
  ] as const)('that ends %s is quoted in the error', async ([, script]) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-browser-'))
    onTestFinished(() => removeFolder(folder))
    const executable = join(folder, 'chromium')
    writeFileSync(executable, `#!/bin/sh\n${script}\n`)
    chmodSync(executable, 0o755)
    await using kernel = await openKernel({ executable })
    await expect(kernel.use(Browser).open('s')).rejects.toMatchObject({
      code: 'BROWSER_START',
      message: expect.stringMatching(/ended with 3\. It said: no libraries/),
    })
  })
})
