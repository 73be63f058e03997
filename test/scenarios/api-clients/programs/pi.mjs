/** pi with the agent as its model, by chat completions and by responses: a provider in its models.json, in print mode. */
import { existsSync } from 'node:fs'
import { AGAIN, ASK, assert, greeting, inOneSession, KNOWS, key, play, SAID, url } from './cases.mjs'
import { eventsOf, inHome, run } from './home.mjs'

const provider = (api) => ({
  baseUrl: url,
  apiKey: key,
  api,
  models: [{ id: 'svc' }, { id: 'thinker', reasoning: true }],
})
const models = JSON.stringify({
  providers: { chat: provider('openai-completions'), responses: provider('openai-responses') },
})
/** Its tool has the name of one of the agent; it notes in a file that it was called. */
const extension = `
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
export default function (pi) {
  pi.registerTool({
    name: 'read_file',
    label: 'Read',
    description: 'Reads a file of the client.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    async execute() {
      writeFileSync(join(process.env.HOME, 'called'), '')
      return { content: [{ type: 'text', text: 'mine' }], details: {} }
    },
  })
}
`
const files = { 'models.json': models, 'own.mjs': extension, 'work/note.txt': 'mine\n' }

function pi(home, model, ...args) {
  const env = { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', PI_TELEMETRY: '0' }
  return run('pi', ['--print', '--model', model, ...args], home, env)
}

const textOf = ({ content }) => content.map(({ text = '' }) => text).join('')

function casesOf(model) {
  return {
    [`${model}: a text`]: () => inHome(files, async (home) => assert.match((await pi(home, model, ASK)).trim(), SAID)),
    [`${model}: the events`]: () =>
      inHome(files, async (home) => {
        const events = eventsOf(await pi(home, model, '--mode', 'json', ASK))
        const { message } = events.findLast(({ type }) => type === 'message_end')
        assert.match(textOf(message), SAID)
        assert.equal(message.stopReason, 'stop')
        assert.ok(message.usage.input > 0)
        assert.ok(!events.some(({ type }) => type.startsWith('tool_execution')))
      }),
    [`${model}: a tool of the same name`]: () =>
      inHome(files, async (home) => {
        assert.match((await pi(home, model, '--extension', `${home}/own.mjs`, ASK)).trim(), SAID)
        assert.ok(!existsSync(`${home}/called`), 'a tool of the client was called')
      }),
    [`${model}: several turns`]: inOneSession(() =>
      inHome(files, async (home) => {
        await pi(home, model, ASK)
        for (let turn = 0; turn < 2; turn++) assert.match(await pi(home, model, '--continue', AGAIN), KNOWS)
      }),
    ),
  }
}

const cases = { ...casesOf('chat/svc'), ...casesOf('responses/svc'), ...casesOf('responses/thinker') }

await play('pi', cases, () =>
  inHome(files, async (home) => {
    const { ask, said } = greeting('pi')
    assert.match((await pi(home, 'responses/svc', ask)).trim(), said)
  }),
)
