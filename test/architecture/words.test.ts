/** Words that CONTRIBUTING replaces, in identifiers, comments, documents and texts for users. */
import { expect, test } from 'vitest'
import { browserSources, filesBelow, read, rooms, sourcesBelow } from '../support/repository.ts'

type Rule = readonly [pattern: RegExp, instead: string]

/** Rejected in identifiers, with the replacement. */
const NAMES: readonly Rule[] = [
  [/\bMOST_[A-Z0-9_]+/g, 'MAX_…'],
  [
    /\b(?:class|interface|type) (?:[A-Z]\w*)?(?:Deed|Desk|Errand|Lack|Shelf|Talk|Wish)(?:e?s)?\b/g,
    'the words of the table',
  ],
]

/** Rejected declarations, with the replacement. A predicate, such as `isOneOf`, may end in `Of`. */
const DECLARATIONS: readonly Rule[] = [
  [
    /\b(?:function\*?|const) (?!is[A-Z]|has[A-Z]|index)\w+Of\b(?= ?(?:[(<]|= (?:async )?\(|= \w+ =>))/g,
    'a verb: get, read, create, find, list, to',
  ],
  [
    /\b(?:interface|type) (?:[A-Z]\w*)?(?:Host|Ports|Parts|Surroundings|Setting)\b(?=<| =| \{| extends)/g,
    'Deps, Options',
  ],
]

/** Declarations that keep such a name, because the public interface has it or it is the word of the field. */
const KEPT_DECLARATIONS: readonly string[] = [
  'program/ports.ts: interface Ports',
  'plugins/http/webhook/signature.ts: type Parts',
  'plugins/terminal-ui/display/switch.ts: interface Setting',
  'sdk/kit/files/office-text.ts: type Parts',
  'sdk/kit/views/text.ts: function languageOf',
  'sdk/model-service.ts: type ProviderHost',
  'sdk/terminal-composer.ts: interface ComposerHost',
  'sdk/testing/kernel.ts: interface CliSetting',
  'test/architecture/settings.test.ts: interface Setting',
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
  'plugins/messaging/platforms/platform-dingtalk/stand-in/service.ts',
])

/** Files that still have one of the phrases, as a value of the SDK or as a name in a sample. Only to be shortened. */
const LEFT: readonly string[] = [
  'plugins/agent/people/pending-questions.ts',
  'plugins/safety/access/README.md',
  'plugins/safety/approvals/pending-approvals.ts',
  'plugins/messaging/platforms/platform-email/automatic.ts',
  'plugins/tools/tool-clarify/tools.ts',
  'plugins/sessions/trace/README.md',
  'sdk/questions.ts',
  'sdk/testing/contracts/sessions.ts',
  'plugins/messaging/platforms/platform-email/stand-in/smtp.ts',
  'plugins/messaging/platforms/platform-irc/stand-in/network.ts',
]

const code = [...sourcesBelow(...rooms, 'sdk', 'plugins'), ...browserSources()]
const texts = [...rooms, 'sdk', 'plugins']
  .flatMap(filesBelow)
  .filter((file) => /\.(?:tsx?|md)$|\/plugin\.json$/.test(file))

function found(text: string, rules: readonly Rule[]): string[] {
  return rules.flatMap(([pattern, instead]) => [...text.matchAll(pattern)].map(([word]) => `${word}: write ${instead}`))
}

/** Plugins for an earlier SDK stay as their authors wrote them. */
function sourcesOfOurs(...folders: readonly string[]): string[] {
  return sourcesBelow(...folders).filter((file) => !file.startsWith('test/fixtures/'))
}

test('no identifier in the sources has a replaced word', () => {
  const names = code
    .filter((file) => !KEPT.has(file))
    .flatMap((file) => found(read(file), NAMES).map((each) => `${file}: ${each}`))
  expect(names).toEqual([])
})

test('no constant of a test, an example or a source begins with MOST_', () => {
  const files = sourcesOfOurs(...rooms, 'sdk', 'plugins', 'test', 'examples')
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

test('no comment and no title of a test has a replaced phrase', () => {
  const lines = sourcesOfOurs('test', 'examples')
    .filter((file) => file !== 'test/architecture/words.test.ts')
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line) => ({ file, line })),
    )
    .filter(({ line }) => /^\s*(?:\/\*\*|\*|\/\/)/.test(line) || /^\s*(?:test|it|describe)[.\w]*\(['"`]/.test(line))
  expect(lines.flatMap(({ file, line }) => found(line, PHRASES).map((each) => `${file}: ${each}`))).toEqual([])
})

test('no function is a noun with "Of", and no bag of dependencies has another name than Deps', () => {
  const ours = [...sourcesOfOurs(...rooms, 'sdk', 'plugins', 'test', 'examples'), ...browserSources()]
  const files = ours.filter((file) => file !== 'test/architecture/words.test.ts')
  const found = files.flatMap((file) =>
    DECLARATIONS.flatMap(([pattern]) =>
      [...read(file).matchAll(pattern)].map(([declaration]) => `${file}: ${declaration}`),
    ),
  )
  expect(found.filter((each) => !KEPT_DECLARATIONS.includes(each))).toEqual([])
  expect(
    KEPT_DECLARATIONS.filter((each) => !found.includes(each)),
    'no longer has one: remove it from the list',
  ).toEqual([])
})

test.for([
  ['function rulesOf(name: string) {', true],
  ['const keyOf = (id: string) => id', true],
  ['interface ChatPorts extends Place {', true],
  ['function isOneOf(spec: string) {', false],
  ['interface ChatDeps {', false],
] as const)('%j is rejected: %s', ([text, isRejected]) => {
  expect(DECLARATIONS.some(([pattern]) => text.match(pattern))).toBe(isRejected)
})
