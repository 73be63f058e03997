import { Tools } from 'svc/sdk'
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { fakeToolTurn, testKernel, toolContract } from 'svc/sdk/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-homeassistant/stand-in/service.ts'

const fake = await openStandIn()
const config = { platforms: { homeassistant: fake.config } }
const kernel = await testKernel({ plugins: ['platform-homeassistant'], env: fake.env, config })
afterAll(async () => {
  await kernel.stop()
  await fake.close()
})

const tool = (name: string) => {
  const found = kernel.all(Tools).get(name)
  if (!found) throw new Error(`There is no tool ${name}.`)
  return found
}

async function use(name: string, input: unknown): Promise<string> {
  const parsed = await tool(name).input['~standard'].validate(input)
  if (parsed.issues) return `refused: ${parsed.issues.map(({ message }) => message).join('; ')}`
  const running = Promise.resolve(tool(name).run(parsed.value, fakeToolTurn()))
  const result = await running.catch((error: Error) => `failed: ${error.message}`)
  return typeof result === 'string' ? result : result.text
}

describe('the tools of Home Assistant keep the contract of tools', () => {
  const samples = {
    ha_list_entities: { input: {}, text: 'light.kitchen' },
    ha_get_state: { input: { entity_id: 'sensor.garden' }, text: '12.5' },
    ha_list_services: { input: { domain: 'light' }, text: 'light.turn_on(brightness)' },
    ha_call_service: { input: { domain: 'light', service: 'turn_on' }, text: 'was called' },
  }
  for (const [id, sample] of Object.entries(samples))
    describe(id, () => {
      for (const { name, run } of toolContract(tool(id), [sample])) test(name, run)
    })
})

test('entities of Home Assistant are found by their kind and by their area', async () => {
  expect(await use('ha_list_entities', { domain: 'sensor' })).toBe('sensor.garden: 12.5 °C (Garden)')
  expect(await use('ha_list_entities', { area: 'Kitchen' })).toMatch(/^light\.kitchen: (on|off) \(Kitchen light\)$/)
  expect(await use('ha_list_entities', { area: 'Cellar' })).toContain('No entities')
})

test('a service of Home Assistant is called with its entity and its fields, and tells what changed', async () => {
  const call = { domain: 'light', service: 'turn_on', entity_id: 'light.kitchen', data: { brightness: 10 } }
  expect(await use('ha_call_service', call)).toContain('light.kitchen: on')
  expect(fake.calls.at(-1)).toEqual({
    service: 'light.turn_on',
    data: { brightness: 10, entity_id: 'light.kitchen' },
  })
  expect(await use('ha_call_service', { domain: 'light', service: 'explode' })).toContain(
    'Action light.explode not found',
  )
})

test.for([
  ['shell_command', 'reboot'],
  ['python_script', 'x'],
  ['rest_command', 'x'],
  ['hassio', 'host_reboot'],
  ['homeassistant', 'restart'],
])('the service %s.%s of Home Assistant is not called for a model', async ([domain, service]) => {
  const before = fake.calls.length
  expect(await use('ha_call_service', { domain, service })).toMatch(/^failed: .* is not called for a model/)
  expect(fake.calls).toHaveLength(before)
})

test('the harmless services of Home Assistant itself are called', async () => {
  const call = { domain: 'homeassistant', service: 'turn_on', entity_id: 'light.kitchen' }
  expect(await use('ha_call_service', call)).toContain('was called')
})

test.for(['../config', 'light.kitchen/../../config', 'light', 'light.a?x=1', 'Light.Kitchen', ''])(
  'the id "%s" is none of Home Assistant and gets into no address',
  async (id) => {
    expect(await use('ha_get_state', { entity_id: id })).toMatch(/^refused: /)
    expect(await use('ha_call_service', { domain: 'light', service: 'turn_on', entity_id: id })).toMatch(/^refused: /)
    expect(await use('ha_call_service', { domain: id, service: 'turn_on' })).toMatch(
      id === 'light' ? /called/ : /^refused: /,
    )
  },
)

test('an area of Home Assistant cannot carry a template', async () => {
  expect(await use('ha_list_entities', { area: '") }}{{ states("lock.door' })).toMatch(/^refused: /)
})

test('an entity of Home Assistant that is not there is said, with where to look', async () => {
  expect(await use('ha_get_state', { entity_id: 'light.nowhere' })).toMatch(/^failed: .*ha_list_entities/)
})

test('the tools of Home Assistant are not offered without a token, and say so when it is wrong', async () => {
  await using bare = await testKernel({ plugins: ['platform-homeassistant'], config })
  expect(bare.all(Tools).get('ha_get_state')?.missing?.()).toBe('needs HASS_TOKEN')
  expect(tool('ha_get_state').missing?.()).toBeUndefined()
  await using wrong = await testKernel({ plugins: ['platform-homeassistant'], config, env: { HASS_TOKEN: 'wrong' } })
  const result = wrong.all(Tools).get('ha_list_entities')?.run({}, fakeToolTurn())
  await expect(result).rejects.toMatchObject({ code: 'HOMEASSISTANT_UNAUTHORIZED' })
})

test('a call of Home Assistant whose answer no one saw is made once, and said to be in doubt', async () => {
  const asked: string[] = []
  const service = await StandInServer.open(({ method }) => {
    asked.push(method)
    return method === 'POST' ? 'cut' : { body: [] }
  })
  const env = { ...fake.env, HASS_URL: service.url }
  await using cut = await testKernel({ plugins: ['platform-homeassistant'], env })
  const { signal } = new AbortController()
  await cut.all(Tools).get('ha_list_entities')?.run({}, fakeToolTurn({ signal }))
  const call = () =>
    cut.all(Tools).get('ha_call_service')?.run({ domain: 'light', service: 'toggle' }, fakeToolTurn({ signal }))
  await expect(call()).rejects.toThrow('It is not known whether it was done')
  expect(asked).toEqual(['GET', 'POST'])
  await service.close()
  // Nothing was asked of a home that is not there.
  await expect(call()).rejects.toThrow(/nothing listens there\.$/)
})
