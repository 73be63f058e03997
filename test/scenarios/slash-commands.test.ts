import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { Language } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { Checkpoints } from 'svc/sdk/sessions'
import { Display } from 'svc/sdk/terminal'
import { type FakeTalk, fakePlatform, fakeProvider, fakeTalk, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'
import { findManifest, pluginNames } from '../support/repository.ts'

/** What a scenario works with. */
interface Place {
  readonly kernel: TestKernel
  readonly talk: FakeTalk
  readonly cwd: string
  /** A person in a chat, in the same process. */
  readonly chat: FakeTalk
}

/** A story for each command: what is typed and what comes of it. */
const stories: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  async help({ talk }) {
    expect(await talk.type('/help undo')).toContain('`/undo [count]`')
  },
  async stop({ talk }) {
    expect(await talk.type('/stop')).toBe('Nothing is running.')
  },
  async queue({ talk }) {
    await talk.type('/queue later')
    expect(talk.answers()).toEqual(['answer to later'])
  },
  async steer({ talk }) {
    await talk.type('/steer look left')
    expect(talk.answers()).toEqual(['answer to look left'])
  },
  async retry({ talk }) {
    await talk.type('one', '/retry')
    expect(talk.answers()).toEqual(['answer to one', 'answer to one'])
  },
  async quit({ talk }) {
    await talk.type('/quit')
    expect(talk.conversation.open).toBe(false)
  },
  async new({ talk, kernel }) {
    await talk.type('/new now Garden')
    expect(kernel.use(Sessions).summary(talk.conversation.sessionId).title).toBe('Garden')
  },
  async clear({ talk }) {
    const before = talk.conversation.sessionId
    await talk.type('one', '/clear -y')
    expect(talk.conversation.sessionId).not.toBe(before)
  },
  async undo({ talk, kernel }) {
    await talk.type('one', 'two', '/undo now')
    expect(kernel.use(Sessions).open(talk.conversation.sessionId).messages()).toHaveLength(2)
  },
  async redo({ talk }) {
    await talk.type('one', '/undo now')
    expect(await talk.type('/redo')).toBe('2 messages are back.')
  },
  async skills({ talk }) {
    expect(await talk.type('/skills')).toContain('There are no skills')
    expect(await talk.type('/skills pending')).toContain('No change of the agent waits')
  },
  async learn({ talk }) {
    await talk.type('/learn the release')
    expect(talk.answers().join()).toContain('answer to')
  },
  async bundles({ talk }) {
    expect(await talk.type('/bundles')).toContain('There are no bundles')
  },
  async 'reload-skills'({ talk }) {
    expect(await talk.type('/reload-skills')).toBe('Nothing changed. 0 skills in all.')
  },
  async version({ talk, chat }) {
    expect(await talk.type('/version')).toMatch(/^svc \d+\.\d+\.\d+, Node v\d/)
    expect(await chat.type('/version')).toMatch(/^svc /)
  },
  async reload({ talk, chat }) {
    expect(await talk.type('/reload about')).toBe('about was reloaded.')
    expect(await chat.type('/reload about')).not.toContain('about was reloaded')
  },
  async platforms({ talk }) {
    expect(await talk.type('/platforms')).toMatch(/The gateway is not running|telegram/)
  },
  async footer({ talk, kernel }) {
    await talk.type('/footer on')
    expect(kernel.use(Display).settings('cli').show_cost).toBe(true)
  },
  async title({ talk }) {
    expect(await talk.type('/title Bees')).toContain('Bees')
  },
  async label({ talk }) {
    expect(await talk.type('one', '/label here')).toContain('Labelled: here')
  },
  async tree({ talk }) {
    expect(await talk.type('one', '/branch', '/tree')).toContain('○ one')
  },
  async branch({ talk }) {
    expect(await talk.type('one', '/branch')).toContain('/resume')
  },
  async resume({ talk, kernel }) {
    const other = kernel.use(Sessions).create({ surface: 'cli', cwd: '/', title: 'Elsewhere' })
    await talk.type('/resume Elsewhere')
    expect(talk.conversation.sessionId).toBe(other.id)
  },
  async history({ talk }) {
    expect(await talk.type('one', '/history')).toContain('> one')
  },
  async status({ talk }) {
    expect(await talk.type('/status')).toContain('Model: fake-1')
  },
  async save({ talk, cwd }) {
    await talk.type('one', '/save talk.md')
    expect(readFileSync(join(cwd, 'talk.md'), 'utf8')).toContain('answer to one')
    expect(await talk.type('/save talk.md')).toContain('it is there already')
  },
  async export({ talk, cwd }) {
    await talk.type('one', '/export talk.jsonl')
    expect(JSON.parse(readFileSync(join(cwd, 'talk.jsonl'), 'utf8'))).toMatchObject({ format: 'svc-session' })
  },
  async model({ talk }) {
    expect(await talk.type('/model')).toContain('fake-1')
    expect(await talk.type('/model other-1')).toContain('other-1 of Scripted model answers from now on')
    expect(talk.conversation.settings.model).toBe('other-1')
    expect(await talk.type('/model x --provider nobody')).toMatch(/nobody/)
    expect(await talk.type('/model a b')).toContain('--provider')
  },
  async reasoning({ talk }) {
    await talk.type('/reasoning high')
    expect(talk.conversation.settings.reasoning).toBe('high')
    expect(await talk.type('/reasoning show')).toContain('shown')
    await talk.type('/reasoning reset')
    expect(talk.conversation.settings.reasoning).toBeUndefined()
  },
  async fast({ talk }) {
    expect(await talk.type('/fast on')).toContain('has no faster tier. Nothing was changed.')
    expect(talk.conversation.settings.serviceTier).toBeUndefined()
    expect(await talk.type('/fast')).toContain('Tier: default')
    await talk.type('/fast off')
    expect(talk.conversation.settings.serviceTier).toBe('default')
  },
  async config({ talk, kernel }) {
    expect(await talk.type('/config terminal.timeout')).toMatch(/`terminal.timeout`: \d+ \(default\)/)
    expect(await talk.type('/config terminal.timeout 30')).toContain('terminal.timeout is 30 now')
    expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).toContain('timeout: 30')
    expect(await talk.type('/config terminal.timeout soon')).toContain('terminal.timeout is "soon"')
    expect(await talk.type('/config OPENAI_API_KEY sk-secret')).toContain('svc config set')
  },
  async yolo({ talk }) {
    expect(await talk.type('/yolo')).toContain('now run without asking')
    expect(await talk.type('/yolo')).toContain('ask for approval again')
  },
  async approve({ chat }) {
    expect(await chat.type('/approve')).toBe('Nothing waits for an answer.')
    expect(await chat.type('/approve for ever')).toContain('/approve session')
  },
  async deny({ chat, talk }) {
    expect(await chat.type('/deny')).toBe('Nothing waits for an answer.')
    expect(await talk.type('/deny')).toContain('no command /deny')
  },
  async usage({ talk }) {
    expect(await talk.type('one', '/usage')).toContain('Model calls: 1')
  },
  async budget({ talk }) {
    expect(await talk.type('/budget')).toContain('No cap holds here')
  },
  async insights({ talk }) {
    expect(await talk.type('one', '/insights 3')).toContain('1 conversation, 2 messages')
  },
  async personality({ talk }) {
    expect(await talk.type('/personality noir')).toContain('noir, from your next message on')
  },
  async goal({ talk }) {
    expect(await talk.type('/goal')).toContain('There is no goal')
  },
  async subgoal({ talk }) {
    expect(await talk.type('/subgoal tests')).toContain('There is no goal')
  },
  async agents({ talk }) {
    expect(await talk.type('/agents')).toBe('No subagents are at work.')
    expect(await talk.type('/agents history')).toMatch(/^No subagents have worked for this conversation/)
    expect(await talk.type('/agents pause')).toMatch(/^No subagents begin until/)
    expect(await talk.type('/agents interrupt sa-0-1234')).toMatch(/No subagent sa-0-1234 is at work here/)
    expect(await talk.type('/agents resume')).toBe('Subagents may begin again.')
  },
  async kanban({ talk }) {
    expect(await talk.type('/kanban create "Tidy up"')).toContain('ready')
    expect(await talk.type('/kanban')).toContain('Tidy up')
  },
  async cron({ talk, chat, kernel }) {
    expect(await talk.type('/cron add every 2h Look for mail')).toMatch(/Added Look for mail/)
    expect(await chat.type('/cron create "0 9 * * mon-fri" "Sum up" --name brief')).toMatch(/Added brief/)
    expect(await chat.type('/cron')).toMatch(/Look for mail[\s\S]*2 jobs/)
    expect(await kernel.use(CronJobs).get('brief')).toMatchObject({ origin: 'fake:team', deliver: ['origin'] })
  },
  async blueprint({ chat, kernel }) {
    expect(await chat.type('/blueprint')).toContain('`/blueprint morning-brief`')
    expect(await chat.type('/bp custom-reminder')).toContain('Example: text="Water the plants"')
    expect(await chat.type('/bp custom-reminder text=Drink tea time=16:00')).toMatch(/^Added Drink tea, due /)
    expect(await kernel.use(CronJobs).get('Drink tea')).toMatchObject({ origin: 'fake:team' })
  },
  async suggestions({ talk, kernel }) {
    expect(await talk.type('/suggestions')).toContain('1. **Morning brief**')
    expect(await talk.type('/suggestions accept 1')).toMatch(/^Added morning-brief, due /)
    expect(await talk.type('/suggestions dismiss 2')).toBe('Weekly review is not suggested again.')
    expect(await kernel.use(CronJobs).list()).toHaveLength(1)
  },
  async background({ talk }) {
    await talk.type('/background look it up')
    await vi.waitFor(() => expect(talk.said.at(-1)?.text).toContain('answer to look it up'))
  },
  async plan({ talk, cwd }) {
    await talk.type('/plan tidy up')
    expect(existsSync(join(cwd, '.svc/plans'))).toBe(true)
  },
  async tools({ talk }) {
    expect(await talk.type('/tools')).toMatch(/\*\*On\*\*[\s\S]*- \*\*file\*\*:/)
    expect(await talk.type('/tools disable file')).toMatch(/^Off from your next message: `file`/)
    expect(await talk.type('/tools')).toMatch(/\*\*Off\*\*[\s\S]*- \*\*file\*\*:/)
    expect(await talk.type('/tools enable file')).toMatch(/^On from your next message: `file`/)
  },
  async browser({ talk }) {
    expect(await talk.type('/browser fly')).toContain('/browser connect')
  },
  async memory({ talk }) {
    expect(await talk.type('/memory')).toContain('Nothing yet.')
  },
  async plugins({ talk }) {
    expect(await talk.type('/plugins')).toContain('plugins run')
  },
  async profile({ talk }) {
    expect(await talk.type('/profile')).toContain('Profile: default')
  },
  async skin({ talk, kernel }) {
    expect(await talk.type('/skin slate')).toContain('slate')
    expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).toContain('skin: slate')
    expect(await talk.type('/skin slat')).toMatch(/slate/)
  },
  async verbose({ talk, kernel }) {
    await talk.type('/verbose')
    expect(kernel.use(Display).settings().tool_progress).toBe('verbose')
  },
  async timestamps({ talk, kernel }) {
    await talk.type('/timestamps on')
    expect(kernel.use(Display).settings().timestamps).toBe(true)
  },
  async indicator({ talk, kernel }) {
    await talk.type('/indicator ascii')
    expect(kernel.use(Display).settings().indicator).toBe('ascii')
  },
  async busy({ talk, kernel }) {
    await talk.type('/busy queue')
    expect(kernel.use(Display).settings().busy_input_mode).toBe('queue')
  },
  async language({ talk, kernel }) {
    await talk.type('/language de')
    await vi.waitFor(() => expect(kernel.use(Language).locale).toBe('de'))
    expect(await talk.type('/stop')).not.toBe('Nothing is running.')
  },
  async rollback({ talk, cwd, kernel }) {
    writeFileSync(join(cwd, 'package.json'), '{}')
    await kernel.use(Checkpoints).take(cwd, 'before the story')
    writeFileSync(join(cwd, 'notes.txt'), 'spoilt')
    expect(await talk.type('/rollback')).toContain('before the story')
    await talk.type('/rollback 1 now')
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('milk\n')
    expect(await talk.type('/rollback 99')).toContain('no snapshot 99')
  },
  async compress({ talk }) {
    expect(await talk.type('one', '/compress --preview')).toContain('too little to leave out')
    expect(await talk.type('/compress')).toContain('Not compressed')
  },
  async statusbar({ talk }) {
    expect(await talk.type('/statusbar')).toContain('full-screen interface')
  },
  async find({ talk }) {
    expect(await talk.type('/find words')).toContain('full-screen interface')
  },
  async mouse({ talk, kernel }) {
    await talk.type('/mouse off')
    expect(kernel.use(Display).settings().mouse).toBe(false)
  },
  async shell({ talk }) {
    expect(await talk.type('/shell echo it runs')).toContain('it runs')
    expect(await talk.type('!echo so does this')).toContain('so does this')
  },
  async connect({ talk }) {
    // It asks; who cannot be asked is told the shell command.
    expect(await talk.type('/connect')).toContain('svc model set')
  },
  async prompt({ talk }) {
    expect(await talk.type('/prompt')).toContain('full-screen interface')
  },
  async redraw({ talk }) {
    expect(await talk.type('/redraw')).toContain('full-screen interface')
  },
  async copy({ talk }) {
    expect(await talk.type('/copy')).toContain('full-screen interface')
  },
  async goto({ talk }) {
    expect(await talk.type('/goto')).toContain('full-screen interface')
  },
  async hooks({ talk }) {
    expect(await talk.type('/hooks')).toContain('There are no hooks')
  },
  async 'reload-mcp'({ talk }) {
    expect(await talk.type('/reload-mcp')).toContain('No MCP servers are configured')
  },
  async fold({ talk }) {
    expect(await talk.type('/fold')).toContain('full-screen interface')
  },
  async paste({ talk }) {
    expect(await talk.type('/paste')).toContain('full-screen interface')
  },
  async image({ talk }) {
    expect(await talk.type('/image x.png')).toContain('full-screen interface')
  },
  async platform({ chat }) {
    expect(await chat.type('/platform')).toBe('There is no platform.')
    expect(await chat.type('/platform pause pigeon')).toContain('There is no platform "pigeon"')
  },
  async sethome({ chat, kernel }) {
    expect(await chat.type('/sethome')).toBe('Messages for In-memory chat come here from now on.')
    expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).toContain('home_channel: team')
  },
  async start({ chat }) {
    expect(await chat.type('/start ref_42')).toContain('/help lists the commands')
    expect(chat.answers()).toEqual([])
  },
  async handoff({ chat }) {
    expect(await chat.type('/handoff yes')).toBe('Nothing waits for a confirmation here.')
    expect(await chat.type('hello', '/handoff code')).toMatch(
      /Type in the other chat within \d+ minutes: `\/handoff [A-Z2-9]{8}`/,
    )
  },
  async topic({ chat }) {
    expect(await chat.type('/topic')).toMatch(/^This chat continues/)
    expect(await chat.type('/topic off')).toBe('This is not a topic.')
    expect(await chat.type('/topic help')).toContain('/topic <session-id>')
  },
  async mirror({ chat }) {
    const [, command = ''] = /`(\/mirror [A-Z2-9]{8})`/.exec(await chat.type('/mirror code')) ?? []
    expect(await chat.type(command)).toBe('Type it in the other chat.')
  },
  async moa({ talk }) {
    expect(await talk.type('/moa who is right?')).toContain('moa.presets')
    expect(talk.answers()).toEqual([])
  },
  async restart({ chat }) {
    expect(await chat.type('/restart')).toContain('allow_admin_from')
  },
  async update({ chat }) {
    expect(await chat.type('/update')).toContain('allow_admin_from')
  },
  async voice({ talk, chat }) {
    expect(await talk.type('/voice sideways')).toContain('Not "sideways"')
    expect(await talk.type('/voice tts')).toContain('Every answer is spoken.')
    expect(await chat.type('/voice status')).toMatch(/spoken/)
  },
  async resend({ chat }) {
    expect(await chat.type('/resend')).toBe('Nothing to resend.')
  },
  async whoami({ talk, chat }) {
    expect(await talk.type('/whoami')).toContain('You are the owner')
    expect(await chat.type('/whoami')).toMatch(/ada[\s\S]*fake/)
  },
  async journey({ talk }) {
    expect(await talk.type('/journey')).toContain('Nothing was learned yet')
  },
  async snapshot({ talk }) {
    expect(await talk.type('/snapshot create first')).toMatch(/^Snapshot \d{4}-/)
    expect(await talk.type('/snap')).toMatch(/^1\. .*, first$/)
  },
  async debug({ talk }) {
    expect(await talk.type('/debug')).toContain(process.version)
  },
}

/** The commands of all built-in plugins, by their manifests. */
const registry = pluginNames().flatMap((name) => findManifest(name)?.contributes?.['slash-commands'] ?? [])

async function open(): Promise<Place> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-slash-'))
  writeFileSync(join(cwd, 'notes.txt'), 'milk\n')
  const fake = fakeProvider((request) => `answer to ${request.messages.findLast(({ role }) => role === 'user')?.text}`)
  const owners = pluginNames().filter((name) => findManifest(name)?.contributes?.['slash-commands'])
  const kernel = await testKernel({
    plugins: [...owners, 'tool-files'],
    with: [fake.plugin, fakePlatform().plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  expect(kernel.problems()).toEqual([])
  onTestFinished(async () => {
    await kernel.stop()
    removeFolder(cwd)
  })
  const by = { platform: 'fake', chatId: 'team', userId: 'ada' }
  const chat = fakeTalk(kernel, { surface: 'fake', commands: 'gateway', cwd, by })
  return { kernel, cwd, talk: fakeTalk(kernel, { cwd }), chat }
}

test('every command has a story here, and every story a command', () => {
  expect(Object.keys(stories).sort()).toEqual([...registry].sort())
})

test.for(Object.entries(stories))('/%s does what it says', async ([, story]) => {
  await story(await open())
})
