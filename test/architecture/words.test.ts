/** Words that CONTRIBUTING replaces, in identifiers, comments, documents and texts for users. */
import { expect, test } from 'vitest'
import { filesBelow, read, sourcesBelow } from '../support/repository.ts'

type Rule = readonly [pattern: RegExp, instead: string]

/** What is not written in identifiers, and what is written instead. */
const NAMES: readonly Rule[] = [
  [/\bMOST_[A-Z0-9_]+/g, 'MAX_…'],
  [
    /\b(?:class|interface|type) (?:[A-Z]\w*)?(?:Deed|Desk|Errand|Lack|Shelf|Talk|Wish)(?:e?s)?\b/g,
    'the words of the table',
  ],
]

/** What is not written in sentences, and what is written instead. */
const PHRASES: readonly Rule[] = [
  [/\b(?:nobody|whoever|somebody|anybody)\b/gi, 'the noun: no plugin, the caller, a user, any client'],
  [/\banew\b/gi, 'again, or a verb with re-'],
  [/\b(?:goes|go|going|gone) on with\b/gi, 'continues, resumes'],
  [/\b(?:is|are) none of\b/gi, 'is not'],
]

/** Files of the testing kit that export such a name, or the name of a service. */
const KEPT = new Set([
  'sdk/testing.ts',
  'sdk/testing/front.ts',
  'sdk/testing/contracts/platform-files.ts',
  'sdk/testing/contracts/platform.ts',
  'sdk/testing/contracts/shelf.ts',
  'sdk/testing/platforms/dingtalk.ts',
])

/** Files that still have one of the phrases, as a value of the SDK or as a name in a sample. Only to be shortened. */
const LEFT: readonly string[] = [
  'plugins/safety/access/README.md',
  'plugins/safety/approvals/pending-approvals.ts',
  'plugins/messaging/platforms/platform-email/automatic.ts',
  'plugins/messaging/platforms/platform-irc/README.md',
  'plugins/providers/provider-anthropic/README.md',
  'plugins/tools/tool-clarify/pending-questions.ts',
  'plugins/tools/tool-clarify/tools.ts',
  'plugins/sessions/trace/README.md',
  'sdk/questions.ts',
  'sdk/testing/contracts/sessions.ts',
  'sdk/testing/contracts/wire.ts',
  'sdk/testing/platforms/discord.ts',
  'sdk/testing/platforms/email-smtp.ts',
  'sdk/testing/platforms/irc-network.ts',
  'sdk/testing/platforms/mattermost.ts',
  'sdk/testing/platforms/slack.ts',
]

const code = sourcesBelow('kernel', 'sdk', 'plugins')
const texts = ['kernel', 'sdk', 'plugins']
  .flatMap(filesBelow)
  .filter((file) => /\.(?:ts|md)$|\/plugin\.json$/.test(file))

function found(text: string, rules: readonly Rule[]): string[] {
  return rules.flatMap(([pattern, instead]) => [...text.matchAll(pattern)].map(([word]) => `${word}: write ${instead}`))
}

test('no identifier in the sources has a replaced word', () => {
  const names = code
    .filter((file) => !KEPT.has(file))
    .flatMap((file) => found(read(file), NAMES).map((each) => `${file}: ${each}`))
  expect(names).toEqual([])
})

test('no constant of a test, an example or a source begins with MOST_', () => {
  const files = sourcesBelow('kernel', 'sdk', 'plugins', 'test', 'examples')
  const own = 'test/architecture/words.test.ts'
  expect(files.filter((file) => file !== own && found(read(file), NAMES.slice(0, 1)).length > 0)).toEqual([])
})

test('no comment, document or text has a replaced phrase, except in the files that are listed', () => {
  const bad = texts.filter((file) => found(read(file), PHRASES).length > 0)
  expect(bad.filter((file) => !LEFT.includes(file)).map((file) => [file, ...found(read(file), PHRASES)])).toEqual([])
  expect(
    LEFT.filter((file) => !bad.includes(file)),
    'no longer has one: remove it from the list',
  ).toEqual([])
})

test.for([
  ['const MOST_FILES = 3', NAMES],
  ['export class Talk implements Conversation {', NAMES],
  ['interface ModelWish {', NAMES],
  ['type Deeds = readonly string[]', NAMES],
  ['/** Nobody reads it. */', PHRASES],
  ['// Whoever asks waits.', PHRASES],
  ["t('Begins anew.')", PHRASES],
  ['It goes on with the next one.', PHRASES],
  ['The answer is none of Home Assistant.', PHRASES],
] as const)('%j is rejected', ([text, rules]) => {
  expect(found(text, rules)).toHaveLength(1)
})
