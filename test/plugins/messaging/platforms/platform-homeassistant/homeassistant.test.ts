import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { wordsOfMarkdown } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError, type Delimiters } from 'svc/sdk/platform'
import { platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { markdown } from '../../../../../plugins/messaging/platforms/platform-homeassistant/markdown.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-homeassistant/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected: home, contract, stage } = createStages('homeassistant', openStandIn)

const out = (text: string, key = 'key-1') => ({ chatId: 'ha_events', text, key })

describe('Home Assistant keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('changes at home', () => {
  test('a change at home is said in words that fit its kind', async () => {
    await using at = await home()
    const { fake, ear } = at
    fake.change('light.kitchen', 'on')
    fake.change('sensor.garden', '13.1')
    fake.change('binary_sensor.door', 'on', { friendly_name: 'Front\ndoor' })
    fake.change('binary_sensor.door', 'off')
    fake.change('climate.hall', 'heat', { friendly_name: 'Hall', current_temperature: 19.5, temperature: 21 })
    fake.change('alarm_control_panel.all', 'armed_away', { friendly_name: 'House' })
    fake.change('vacuum.robot', 'docked')
    fake.change('light.kitchen', 'unavailable')
    await expect.poll(() => ear.received).toHaveLength(8)
    expect(ear.texts).toEqual([
      'Kitchen light was turned on',
      'Garden: 13.1 °C (before: 12.5)',
      'Front door: triggered',
      'Front door: cleared',
      'Hall: mode heat, now 19.5, set to 21',
      'Alarm House: unknown → armed_away',
      'vacuum.robot: unknown → docked',
      'Kitchen light: on → unavailable',
    ])
    expect(ear.received[0]).toMatchObject({
      platform: 'homeassistant',
      chatId: 'ha_events',
      chatKind: 'channel',
      userId: 'homeassistant',
    })
    expect(at.platform.isEvents).toBe(true)
  })

  test('nothing at home is heard of until someone says what, and that is said once at each connection', async () => {
    const nothing = { watch_domains: [], watch_entities: [] }
    await using at = await home({ config: nothing })
    at.fake.change('light.kitchen', 'on')
    expect(await at.platform.probe()).toBe(true)
    expect(at.ear.texts).toEqual([])
    const said = () =>
      readFileSync(join(at.kernel.home, 'logs', 'svc.log'), 'utf8').split('No change at home').length - 1
    expect(said()).toBe(1)
    await using all = await home({ config: { ...nothing, watch_all: true, ignore_entities: ['light.kitchen'] } })
    all.fake.change('light.kitchen', 'on')
    all.fake.change('lock.door', 'unlocked')
    await expect.poll(() => all.ear.texts).toEqual(['lock.door: unknown → unlocked'])
  })

  test('an entity at home that does not rest is heard of once in its cooldown, and not for the same state', async () => {
    const clock = virtualClock()
    await using at = await home({ clock, config: { cooldown_seconds: 30 } })
    const say = async (state: string) => {
      at.fake.change('sensor.garden', state)
      await at.platform.probe()
    }
    await say('13')
    await say('14')
    await clock.advance(29_999)
    await say('15')
    await clock.advance(1)
    await say('15')
    await say('16')
    expect(at.ear.texts).toEqual(['Garden: 13 °C (before: 12.5)', 'Garden: 16 °C (before: 15)'])
  })

  test('changes at home that were not taken come again, in their order', async () => {
    await using at = await home()
    at.ear.refuse = 2
    at.fake.change('light.kitchen', 'on')
    at.fake.change('light.kitchen', 'off')
    await expect
      .poll(() => at.ear.texts, { timeout: 5000 })
      .toEqual(['Kitchen light was turned on', 'Kitchen light was turned off'])
  })

  test('changes at home that were not taken before the connection ended are counted in the log', async () => {
    await using at = await home()
    at.ear.refuse = 1000
    at.fake.change('light.kitchen', 'on')
    at.fake.change('light.kitchen', 'off')
    await expect.poll(() => at.ear.refuse).toBeLessThan(1000)
    await at.platform.close()
    const log = () => readFileSync(join(at.kernel.home, 'logs', 'svc.log'), 'utf8')
    await expect.poll(log).toMatch(/[12] changes at home were not taken/)
  })

  test('strange words of Home Assistant are passed over', async () => {
    await using at = await home()
    at.fake.push('no JSON')
    at.fake.push('{"type":"event","event":{"event_type":"state_changed","data":{"entity_id":7}}}')
    at.fake.push(
      '{"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.x","new_state":null}}}',
    )
    at.fake.push('{"id":99,"type":"result","success":false}')
    await at.fake.member().say('still there?')
    await expect.poll(() => at.ear.texts).toEqual(['still there?'])
  })
})

describe('the connection to Home Assistant', () => {
  test('a connection to Home Assistant that breaks is said once and can be made again', async () => {
    await using at = await home()
    at.fake.disturb('flap')
    await expect.poll(() => at.ear.losses).toHaveLength(1)
    expect(at.ear.losses[0]?.final).toBeUndefined()
    expect(await at.platform.probe()).toBe(false)
    await at.platform.connect(at.ear)
    await at.fake.member().say('back')
    await expect.poll(() => at.ear.texts).toEqual(['back'])
    expect(at.ear.losses).toHaveLength(1)
  })

  test('the last change of what is watched at home is noticed, though it happened while no one listened', async () => {
    await using at = await home()
    at.fake.disturb('flap')
    await expect.poll(() => at.ear.losses).toHaveLength(1)
    at.fake.change('light.kitchen', 'on')
    at.fake.change('sensor.garden', '13')
    at.fake.change('sensor.garden', '14')
    await at.fake.member().say('anybody?')
    at.fake.change('lock.door', 'unlocked')
    await at.platform.connect(at.ear)
    await expect.poll(() => at.ear.received).toHaveLength(3)
    expect(at.ear.texts).toEqual(['Kitchen light was turned on', 'Garden: 14 °C (before: 12.5)', 'anybody?'])
    await at.platform.connect(at.ear)
    expect(at.ear.received).toHaveLength(3)
  })

  test('what is typed at home once more is said once more, and clearing the field says nothing', async () => {
    await using at = await home({ config: { cooldown_seconds: 3600 } })
    await at.fake.member().say('lights off')
    await at.fake.member().say('lights off')
    at.fake.change('input_text.talk', '')
    at.fake.change('input_text.talk', 'unavailable')
    await at.fake.member().say('the end')
    await expect.poll(() => at.ear.texts).toEqual(['lights off', 'lights off', 'the end'])
  })

  test('a Home Assistant that has fallen silent does not answer a probe', async () => {
    const clock = virtualClock()
    await using at = await home({ clock })
    at.fake.disturb('silence')
    const probe = at.platform.probe()
    await clock.advance(10_000)
    expect(await probe).toBe(false)
    at.fake.calm()
    expect(await at.platform.probe()).toBe(true)
  })

  test('a token that Home Assistant does not know ends the attempts, at once or when it is withdrawn', async () => {
    await using at = await stage({ env: { HASS_TOKEN: 'of another home' } })
    const attempt = at.platform.connect(at.ear)
    await expect(attempt).rejects.toMatchObject({ code: 'HOMEASSISTANT_UNAUTHORIZED' })
    expect(classifyDeliveryError(await attempt.catch((error: unknown) => error)).kind).toBe('refused')
    await using known = await home()
    known.fake.disturb('logout')
    await expect.poll(() => known.ear.losses).toHaveLength(1)
    expect(await catchCode(known.platform.connect(known.ear))).toBe('HOMEASSISTANT_UNAUTHORIZED')
  })

  test('what is not Home Assistant, or not there, is said with the address to check', async () => {
    for (const url of ['http://127.0.0.1:1', 'not an address', 'ftp://example.org']) {
      await using at = await stage({ env: { HASS_URL: url } })
      const attempt = at.platform.connect(at.ear)
      await expect(attempt).rejects.toMatchObject({ code: 'HOMEASSISTANT_UNREACHABLE' })
      await expect(attempt).rejects.toThrow(/HASS_URL/)
    }
    await using at = await stage({ env: { HASS_TOKEN: ' ' } })
    expect(at.platform.missing?.()).toContain('HASS_TOKEN')
  })
})

describe('notifications of Home Assistant', () => {
  test.for([
    ['unavailable', 'busy'],
    ['lost', 'unsure'],
    ['unanswered', 'unsure'],
    ['forbidden', 'refused'],
  ] as const)(
    'when Home Assistant answers a notification with "%s" the gateway is told "%s"',
    async ([fault, kind]) => {
      await using at = await home()
      at.fake.failSends(fault)
      const error = await at.platform.send(out('hello')).catch((reason: unknown) => reason)
      expect(classifyDeliveryError(error)).toEqual({ kind })
      await at.platform.send(out('hello'))
      expect(at.fake.deliveries().map(({ visible }) => visible)).toEqual(['hello'])
    },
  )

  test('Home Assistant takes notifications of 4,096 characters with words, for the chat that it has', async () => {
    await using at = await home()
    expect(await catchCode(at.platform.send(out('x'.repeat(4097))))).toBe('HOMEASSISTANT_LENGTH')
    expect(await catchCode(at.platform.send(out('😀'.repeat(10_000))))).toBe('HOMEASSISTANT_LENGTH')
    expect(await catchCode(at.platform.send(out(' \n ')))).toBe('HOMEASSISTANT_LENGTH')
    expect(await catchCode(at.platform.send({ ...out('hello'), chatId: 'kitchen' }))).toBe('HOMEASSISTANT_CHAT')
  })

  test('what looks like a template is shown by Home Assistant as it is, in words and in code', () => {
    const { escape: safe = String, escapeCode = String } = markdown
    for (const text of ['{{ states("lock.door") }}', '{% if true %}', '{# no #}', '{{{{']) {
      expect(wordsOfMarkdown(safe(text))).toBe(text)
      expect(safe(text)).not.toMatch(/\{[{%#]/)
      expect(escapeCode(text)).not.toMatch(/\{[{%#]/)
      expect(escapeCode(text).replaceAll('\u2060', '')).toBe(text)
    }
  })

  test('styles within each other are shown by Home Assistant without stray marks', () => {
    const { bold = ['', ''], italic = ['', ''], strike = ['', ''] } = markdown
    const within = ([before, after]: Delimiters, text: string) => before + text + after
    const text = within(bold, `${within(strike, `${within(italic, 'one')} two`)} three`)
    expect(wordsOfMarkdown(text, 'marked')).toBe('one two three')
    expect(wordsOfMarkdown(within(italic, within(strike, `x ${within(bold, 'y')}`)), 'marked')).toBe('x y')
  })

  test('whatever a text holds, no template gets to Home Assistant', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '%', '#', '\\', 'a', '`', '*') }), (text) => {
        expect(markdown.escape?.(text)).not.toMatch(/\{[{%#]/)
        expect(markdown.escapeCode?.(text)).not.toMatch(/\{[{%#]/)
      }),
    )
  })
})
