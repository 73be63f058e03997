/** Stories of the pages on which a person sets things up: channels, profiles, files, skills and MCP servers of others. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Platforms } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium } from '../../../support/browser.ts'
import { house } from '../../safety/access/houses.ts'
import { openWebStage, type WebStage } from './stage.ts'

/** A stranger writes to a gateway of this home; returns the code that they are shown. */
async function knock(home: string): Promise<string> {
  const kernel = await testKernel({
    home,
    plugins: ['access'],
    with: [
      { name: 'houses', contributes: { platforms: ['chat'] }, setup: (ctx) => void ctx.add(Platforms, house('chat')) },
    ],
  })
  const ada = { platform: 'chat', chatId: '42', userId: '42' }
  const code = kernel.use(Access).requestPairing(ada, 'Ada')?.code
  await kernel.stop()
  return code ?? ''
}

describe.skipIf(missingChromium())('setting up in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage((words) => `You said: ${words}`)
    page = await stage.newPage('/channels')
  })
  afterAll(async () => stage?.close())

  const read = (file: string) => readFileSync(join(stage.home, file), 'utf8')

  test('a platform is set up, tested, rehearsed and switched off; its token is not shown again', async () => {
    await page.getByRole('button', { name: 'Set up ntfy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up ntfy' })
    await dialog.getByLabel('NTFY_TOPIC', { exact: true }).fill('otters')
    await dialog.getByLabel('NTFY_TOKEN', { exact: true }).fill('tk_made_up_for_this_test')
    expect(await findBarriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(read('.env')).toContain('NTFY_TOPIC=otters')
    await page.getByRole('button', { name: 'Test ntfy' }).click()
    await page.getByText('The gateway does not run. Start it: svc gateway start').waitFor()
    await page.getByRole('button', { name: 'Rehearse ntfy' }).click()
    const steps = page.getByRole('dialog', { name: 'Rehearsal of ntfy' })
    await steps.getByText('The platform reports that it is connected.').waitFor()
    await steps.getByRole('button', { name: 'Close' }).click()
    expect(await page.content()).not.toContain('tk_made_up')
    await page.getByRole('switch', { name: 'Use ntfy' }).click()
    await page.getByRole('switch', { name: 'Use ntfy', checked: false }).waitFor()
    expect(read('config.yaml')).toContain('enabled: false')
  })

  test('a person who waits is let in by the code, and sent away again', async () => {
    const code = await knock(stage.home)
    await page.reload()
    const field = page.getByLabel('Code of Ada')
    await field.fill('AAAAAAAA')
    await page.getByRole('button', { name: 'Let in' }).click()
    await page.getByText('No open request of chat has this code.').waitFor()
    await field.fill(code)
    await page.getByRole('button', { name: 'Let in' }).click()
    await page.getByText('Ada may write now.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove Ada' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No person is paired').waitFor()
  })

  test('a webhook is added, its secret is shown once, and it is removed', async () => {
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('deploys')
    await dialog.getByLabel('Signature').selectOption('github')
    await dialog.getByLabel('What to ask').fill('Look at {ref}')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('The secret is not shown again.').waitFor()
    const secret = await dialog.locator('code').last().textContent()
    expect(read('.env')).toContain(`WEBHOOK_DEPLOYS_SECRET=${secret}`)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: /^deploys/ }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Remove deploys' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('There are no webhooks.').waitFor()
  })

  test('a profile is built in four steps, described, renamed, chosen and deleted, each after a question', async () => {
    await page.goto(`${stage.url}/profiles`)
    await page.getByRole('button', { name: 'New profile' }).click()
    await page.getByLabel('Name').fill('work')
    await page.getByLabel('Who the agent is').fill('You are brief.')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Built-in skills').selectOption('no')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Provider').selectOption('demo')
    await page.getByLabel('Model', { exact: true }).fill('demo')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('demo · demo').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 2, name: 'work', exact: true }).waitFor()
    expect(read('profiles/work/SOUL.md')).toBe('You are brief.\n')
    await page.getByRole('button', { name: 'Describe work' }).click()
    await page.getByLabel('What it is for').fill('Answers mail')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Answers mail', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Rename work' }).click()
    await page.getByLabel('New name').fill('office')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Use office' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use', exact: true }).click()
    await page.getByRole('button', { name: 'Use default' }).waitFor()
    expect(read('active_profile')).toBe('office\n')
    await page.getByRole('button', { name: 'Use default' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use', exact: true }).click()
    await page.getByRole('button', { name: 'Delete office' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted').waitFor()
    expect(existsSync(join(stage.home, 'profiles/office'))).toBe(false)
  })

  test('a file is read, downloaded, uploaded and replaced after a question, and its diff is shown', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', stage.work, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])
    writeFileSync(join(stage.work, 'notes.md'), '# Otters\n')
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-qm', 'first')
    await page.goto(`${stage.url}/files`)
    await page.getByRole('button', { name: 'notes.md', exact: true }).click()
    await page.getByRole('dialog').getByText('# Otters').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Close' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download notes.md' }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toBe('# Otters\n')
    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByLabel('Name').fill('data')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'data', exact: true }).click()
    await page.getByRole('button', { name: 'One folder up' }).waitFor()
    const send = (text: Buffer) =>
      page
        .getByLabel('Files to upload')
        .setInputFiles({ name: 'big.bin', mimeType: 'application/octet-stream', buffer: text })
    await send(Buffer.alloc(5 * 2 ** 20, 1))
    await page.getByText('big.bin was uploaded.').waitFor()
    expect(readFileSync(join(stage.work, 'data/big.bin')).byteLength).toBe(5 * 2 ** 20)
    await send(Buffer.from('small'))
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => readFileSync(join(stage.work, 'data/big.bin'), 'utf8')).toBe('small')
    writeFileSync(join(stage.work, 'notes.md'), '# Seals\n')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('button', { name: 'notes.md', exact: true }).click()
    await page.getByRole('dialog').getByText('+# Seals').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
  })

  test('a skill is looked at with what the scan says, installed, removed and restored', async () => {
    const folder = join(stage.work, 'tidy')
    mkdirSync(folder)
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies up.\n---\n\nPut it away.\n')
    await page.goto(`${stage.url}/skills`)
    await page.getByRole('tab', { name: 'Find skills' }).click()
    await page.getByRole('searchbox').fill(folder)
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByText('The scan says: safe').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    await page.getByText('tidy is installed.').waitFor()
    expect(existsSync(join(stage.home, 'skills/tidy/SKILL.md'))).toBe(true)
    await page.getByRole('button', { name: 'Remove tidy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Restore tidy' }).click()
    await page.getByText('tidy is back.').waitFor()
    expect(existsSync(join(stage.home, 'skills/tidy/SKILL.md'))).toBe(true)
  })

  test('a server of the catalogue is installed with its key, and removed', async () => {
    await page.getByRole('tab', { name: 'MCP servers' }).click()
    await page.getByRole('button', { name: 'Install brave-search' }).click()
    await page.getByText('brave-search-mcp-server').waitFor()
    await page.getByLabel('BRAVE_API_KEY').fill('made-up')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Install', exact: true }).click()
    // It is in the list of servers, too, where its removal does the same.
    await page.getByRole('button', { name: 'Remove brave-search' }).last().click()
    expect(read('config.yaml')).toContain('brave-search')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Install brave-search' }).waitFor()
    await expect.poll(() => read('config.yaml')).not.toContain('brave-search')
  })

  test('no page reported an error', () => {
    expect(stage.faults).toEqual([])
  })
})
