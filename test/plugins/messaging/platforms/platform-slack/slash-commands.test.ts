/** Slash commands of the app, and the manifest that registers them. */
import { SlashCommands } from 'svc/sdk'
import { Commands, type InlinePlugin } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createManifest } from '../../../../../plugins/messaging/platforms/platform-slack/app-manifest.ts'
import { listManifestErrors } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/app-manifest.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const names = ['model', 'status', 'fork']
const some: InlinePlugin = {
  name: 'some-commands',
  contributes: { 'slash-commands': names },
  aliases: { 'slash-commands': ['branch'] },
  setup(ctx) {
    for (const name of names)
      ctx.add(SlashCommands, {
        ...{ name, description: `Does ${name}.`, run: () => undefined },
        ...(name === 'fork' && { aliases: ['branch'] }),
      })
  },
}

test('the manifest has each command of chats under a name that Slack takes, and the one before all of them', async () => {
  const kernel = await testKernel({ plugins: ['platform-slack'] })
  onTestFinished(() => kernel.stop())
  const { out, err, code } = await kernel.run(['slack', 'manifest', '--name', 'helper'])
  expect(code).toBe(0)
  const made = JSON.parse(out) as ReturnType<typeof createManifest>
  expect(listManifestErrors(made)).toEqual([])
  expect(made.display_information.name).toBe('helper')
  const shown = made.features.slash_commands.map(({ command }) => command)
  const offered = kernel.use(Commands).on('gateway')
  const toShown = (name: string) => (/^(help|status|topic)$/.test(name) ? `/svc-${name}` : `/${name}`)
  const left = offered.filter(({ name }) => !shown.includes(toShown(name)))
  expect(shown).toHaveLength(Math.min(50, offered.length + 1))
  expect(shown[0]).toBe('/svc')
  expect(left.filter(({ isImmediate }) => isImmediate)).toEqual([])
  for (const { name } of left) expect(err).toMatch(new RegExp(`/svc ${name}\\b`))
})

test.for([
  [['--view', 'sidebar'], {}, /assistant, agent, none/],
  [['--name', 'x'.repeat(36)], {}, /1 to 35 characters/],
  [[], { mode: 'events' }, /public address/],
  [['--url', 'http://bot.example.org'], { mode: 'events' }, /public address/],
] as const)('a manifest with the options %j in %j is not printed', async ([words, config, reason]) => {
  const kernel = await testKernel({ plugins: ['platform-slack'], config: { platforms: { slack: config } } })
  onTestFinished(() => kernel.stop())
  const said = await kernel.run(['slack', 'manifest', ...words])
  expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(reason) })
})

test.for(['assistant', 'agent', 'none'] as const)(
  'Slack would make an app with the view %s, with and without a socket',
  (view) => {
    const commands = [{ name: 'model', description: '', subcommands: ['fast', 'smart'] }]
    for (const requestUrl of [undefined, 'https://bot.example.org/slack/events']) {
      const made = createManifest({ name: 'svc', view, requestUrl, commands })
      expect(listManifestErrors(JSON.parse(JSON.stringify(made)))).toEqual([])
      const at = requestUrl && { url: requestUrl }
      expect(made.features.slash_commands[1]).toMatchObject({ command: '/model', usage_hint: 'fast | smart', ...at })
    }
  },
)

test('the stand-in refuses a manifest that Slack would refuse', () => {
  const right = createManifest({ name: 'svc', view: 'agent', requestUrl: undefined, commands: [] })
  const { features, settings } = right
  const [generic] = features.slash_commands
  const wrong = [
    { ...right, features: { ...features, slash_commands: Array(51).fill(generic) } },
    { ...right, features: { ...features, slash_commands: [generic, generic] } },
    { ...right, features: { ...features, slash_commands: [{ ...generic, command: '/status' }] } },
    { ...right, features: { ...features, slash_commands: [{ ...generic, command: '/With-Capitals' }] } },
    { ...right, features: { ...features, assistant_view: { assistant_description: 'two views' } } },
    { ...right, oauth_config: { scopes: { bot: ['chat:write'] } } },
    { ...right, settings: { ...settings, socket_mode_enabled: false } },
  ]
  for (const each of wrong) expect(listManifestErrors(each)).not.toEqual([])
})

test('a slash command of the app is that of svc with its name or its alias; any other stands before one', async () => {
  const { fake, ear } = await createStages('slack', openStandIn).connected({ with: [some] })
  const ada = fake.member({ group: 'lab' })
  fake.useCommand(ada, '/model', ' fast ')
  fake.useCommand(ada, '/branch', '')
  fake.useCommand(ada, '/svc-status', '')
  fake.useCommand(ada, '/svc', 'model smart')
  fake.useCommand(ada, '/svc', '/status')
  fake.useCommand(ada, '/mod', 'help me')
  fake.useCommand(ada, '/agent', '')
  const lines = ['!model fast', '!branch', '!status', '!model smart', '!status', '!help me', '!help']
  await expect.poll(() => ear.texts).toEqual(lines)
  expect(new Set(ear.received.map(({ messageId }) => messageId)).size).toBe(lines.length)
  expect(ear.received[0]).toMatchObject({
    chatId: ada.chatId,
    userId: ada.userId,
    chatKind: 'channel',
    isMention: true,
  })
})
