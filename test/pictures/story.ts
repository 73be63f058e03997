/** What is seen on the pictures: a small project with a mistake in it, and what a model says to its owner. */
import type { FakeCall, Reply } from '../support/model-replies.ts'
import type { RecordedRequest } from '../support/model-server.ts'

/** The files of the project. */
export const project: Readonly<Record<string, string>> = {
  'README.md': '# weather\n\nWhat the sky will do, in one line.\n',
  'package.json': '{ "name": "weather", "type": "module", "scripts": { "test": "node --test --test-reporter=tap" } }\n',
  'build/weather.js': '// made by the build\n',
  'src/forecast.js': `const names = { sun: 'sunny', rain: 'rain', snow: 'snow' }

/** A line for people. */
export function forecast(city, { sky, celsius }, unit = 'C') {
  const degrees = unit === 'F' ? celsius * 9 / 5 : celsius
  return \`\${city}: \${names[sky]}, \${degrees}°\${unit}\`
}
`,
  'test/forecast.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecast } from '../src/forecast.js'

const day = (celsius, unit) => forecast('Lima', { sky: 'rain', celsius }, unit)

test('in Celsius', () => assert.equal(day(-4), 'Lima: rain, -4°C'))
test('in Fahrenheit', () => assert.equal(day(20, 'F'), 'Lima: rain, 68°F'))
`,
}

/** What is asked in other conversations, and what is answered. */
export const earlier: Readonly<Record<string, string>> = {
  'Write a haiku about snow in Kyoto': '京都に\n雪しんしんと\nlamps lean to the ground.',
  'Which licence fits a small library?': 'MIT, when others may do with it what they like.',
  'Explain the difference between climate and weather': 'Climate is what you expect, weather is what you get.',
}

/** What is typed into the conversation on the pictures. */
export const asked = {
  look: 'Is anything broken here? Have a look.',
  mend: 'Mend it, and add a test for freezing point.',
  clean: 'Good. Now let every user write to the build folder.',
} as const

const report = `## One test fails

\`forecast\` turns degrees Celsius into Fahrenheit but **forgets the 32**:

\`\`\`js
const degrees = unit === 'F' ? celsius * 9 / 5 : celsius
\`\`\`

| City | Says | Should say | |
|---|---:|---:|---|
| Oslo | -4°C | -4°C | ✅ |
| Lima | 36°F | 68°F | ❌ |
| 東京 | 50°F | 82°F | ❌ |

Shall I mend it? It is *one line* in \`src/forecast.js\`.`

const scale = `  const degrees = unit === 'F' ? celsius * 9 / 5 : celsius`
const mended = `  const degrees = unit === 'F' ? (celsius * 9) / 5 + 32 : celsius`
const lastTest = `test('in Fahrenheit', `
const freezing = `test('at the freezing point', () => assert.equal(day(0, 'F'), 'Lima: rain, 32°F'))\n`

const call = (name: string, input: unknown): FakeCall => ({ name, arguments: input })
const plan = (first: string, second: string, third: string) =>
  call('todo', {
    todos: [
      { id: '1', content: 'Mend the scale', status: first },
      { id: '2', content: 'Test the freezing point', status: second },
      { id: '3', content: 'Run all tests', status: third },
    ],
  })
const runTests = call('terminal', { command: 'npm test 2>&1 | grep -E "^# (tests|pass|fail)"' })

/** What is answered to each question, step by step: the next one when the calls of the one before are done. */
const answers: Readonly<Record<string, readonly Reply[]>> = {
  [asked.look]: [
    {
      text: 'I shall read the code and run the tests.',
      calls: [call('list_files', { glob: '**/*.js' }), call('read_file', { path: 'src/forecast.js' }), runTests],
    },
    report,
  ],
  [asked.mend]: [
    { calls: [plan('in_progress', 'pending', 'pending')] },
    { calls: [call('patch', { path: 'src/forecast.js', old_string: scale, new_string: mended })] },
    {
      calls: [
        plan('completed', 'in_progress', 'pending'),
        call('patch', { path: 'test/forecast.test.js', old_string: lastTest, new_string: freezing + lastTest }),
      ],
    },
    { calls: [plan('completed', 'completed', 'in_progress'), runTests] },
    { calls: [plan('completed', 'completed', 'completed')], delayMs: 2500 },
    'All **3 tests** pass: Lima is at 68°F again, and the freezing point has a test of its own.',
  ],
  [asked.clean]: [
    { calls: [call('terminal', { command: 'chmod -R 777 build' })] },
    'Done: the write protection of `build` is gone.',
  ],
}

interface Wire {
  readonly role: string
  readonly content?: unknown
}

/** What the model says to a request. */
export function reply({ body }: RecordedRequest, index: number): Reply {
  const messages = body['messages'] as readonly Wire[]
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const said = messages[at]?.content
  const text = typeof said === 'string' ? said : JSON.stringify(said ?? '')
  const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
  const found = Object.entries({ ...answers, ...earlier }).find(([question]) => text.includes(question))
  const answer = typeof found?.[1] === 'string' ? found[1] : (found?.[1][step] ?? 'Done.')
  const full = typeof answer === 'string' ? { text: answer } : answer
  return { ...full, usage: { prompt_tokens: 18_400 + 900 * index, completion_tokens: 420 } }
}
