/** Mixtures of models in a browser: made, refused without a loss, changed, chosen and removed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

const model = { provider: 'custom', model: 'fake-model' }

describe.skipIf(missingChromium())('mixtures in a browser', () => {
  let stage: WebStage
  let page: Page
  const file = () => join(stage.home, 'config.yaml')
  const stored = () => parse(readFileSync(file(), 'utf8')).moa
  const row = (name: string) => page.getByRole('region', { name: 'Mixtures' }).getByRole('row', { name })

  beforeAll(async () => {
    stage = await openWebStage(() => 'ok')
    page = await stage.newPage('/models')
  })
  afterAll(() => stage?.close())

  test('a mixture is made by keyboard; what the server refuses is shown, and nothing typed is lost', async () => {
    await page.getByText('There are no mixtures.').waitFor()
    await page.getByRole('button', { name: 'New mixture', disabled: false }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New mixture' })
    await dialog.waitFor()
    // The first field has the focus.
    await page.keyboard.type('otters')
    await dialog.getByRole('button', { name: 'Add a reference model' }).press('Enter')
    const second = dialog.getByRole('group', { name: 'Reference model 2' })
    await second.getByLabel('Model').fill('other-model')
    await dialog.getByLabel('Temperature of the reference models').fill('7')
    await dialog.getByLabel('Temperature of the aggregator').fill('0.5')
    await dialog.getByLabel('Most tokens').fill('2000')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('reference_temperature').waitFor()
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
    expect(stored()).toBeUndefined()
    expect(await second.getByLabel('Model').inputValue()).toBe('other-model')
    await dialog.getByLabel('Temperature of the reference models').fill('')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row('otters').getByText('custom · other-model').waitFor()
    const made = {
      ...{ enabled: true, reference_models: [model, { ...model, model: 'other-model' }], aggregator: model },
      ...{ max_tokens: 2000, timeout: 300, aggregator_temperature: 0.5 },
    }
    expect(stored()).toEqual({ default_preset: 'otters', presets: { otters: made } })
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
    await page.setViewportSize({ width: 375, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a second one of the same name is refused; a change leaves others and the switch as they are', async () => {
    await page.getByRole('button', { name: 'New mixture' }).click()
    const dialog = page.getByRole('dialog', { name: 'New mixture' })
    await dialog.getByLabel('Name').fill('otters')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('exists already').waitFor()
    await dialog.getByLabel('Name').fill('seals')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row('seals').waitFor()
    await row('otters').getByRole('switch', { name: 'Use otters' }).click()
    await row('otters').getByRole('switch', { checked: false }).waitFor()
    await page.getByRole('button', { name: 'Edit otters' }).click()
    const form = page.getByRole('dialog', { name: 'otters' })
    expect(await form.getByLabel('Temperature of the aggregator').inputValue()).toBe('0.5')
    await form.getByRole('button', { name: 'Remove Reference model 1' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    const { otters, seals } = stored().presets
    expect(otters).toMatchObject({ enabled: false, reference_models: [{ model: 'other-model' }], max_tokens: 2000 })
    expect(seals).toMatchObject({ enabled: true, reference_models: [model], max_tokens: 4096 })
  })

  test('one that was changed in the file meanwhile is not overwritten', async () => {
    await row('otters').getByText('fake-model').waitFor()
    await page.getByRole('button', { name: 'Edit otters' }).click()
    const form = page.getByRole('dialog', { name: 'otters' })
    await form.getByLabel('Seconds').fill('60')
    const settings = parse(readFileSync(file(), 'utf8'))
    settings.moa.presets.otters.timeout = 90
    writeFileSync(file(), stringify(settings))
    await expect
      .poll(async () => {
        const answer = await page.request.get(`${stage.url}/api/model/moa`, {
          headers: { 'x-svc-session-token': stage.token },
        })
        return (await answer.json()).presets.otters.timeout
      })
      .toBe(90)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').getByText('It was changed elsewhere meanwhile.').waitFor()
    expect(await form.getByLabel('Seconds').inputValue()).toBe('60')
    expect(stored().presets.otters.timeout).toBe(90)
    await page.keyboard.press('Escape')
    await page.reload()
  })

  test('the one of /moa is chosen; it is not removed while others are there', async () => {
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Remove ${name}` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    }
    await remove('otters')
    await page.getByText('There is no preset "otters". There are: seals.').waitFor()
    await page.getByLabel('The mixture of /moa').selectOption('seals')
    await page.getByText('Saved').waitFor()
    expect(stored().default_preset).toBe('seals')
    await remove('otters')
    await row('otters').waitFor({ state: 'detached' })
    await remove('seals')
    await page.getByText('There are no mixtures.').waitFor()
    expect(stored().presets).toEqual({})
    expect(stage.faults).toEqual([])
  })
})
