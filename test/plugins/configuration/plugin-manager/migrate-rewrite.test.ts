import { expect, test } from 'vitest'
import { readSdkNames } from '../../../../loader/sdk-facade.ts'
import { rewrite } from '../../../../plugins/configuration/plugin-manager/migrate/rewrite.ts'
import { createNames } from '../../../../plugins/configuration/plugin-manager/migrate/targets.ts'

const names = createNames(await readSdkNames())

async function rewritten(text: string, file = 'index.ts'): Promise<string> {
  return (await rewrite(file, text, names)).text
}

test.for([
  [
    'a name is renamed with all its uses',
    [`import { ToolCalling } from 'svc/sdk'`, 'ctx.on(ToolCalling, (x) => x)'],
    [`import { BeforeToolCall } from 'svc/sdk'`, 'ctx.on(BeforeToolCall, (x) => x)'],
  ],
  [
    'a name that only moved gets its entry point',
    [`import { Platforms } from 'svc/sdk'`, 'Platforms.id'],
    [`import { Platforms } from 'svc/sdk/platform'`, 'Platforms.id'],
  ],
  [
    'names of several entry points get a statement each',
    [`import { definePlugin, Platforms, ToolCalling } from "svc/sdk";`],
    [`import { definePlugin, BeforeToolCall } from "svc/sdk";`, `import { Platforms } from "svc/sdk/platform";`],
  ],
  [
    'an alias stays',
    [`import { ToolCalling as before } from 'svc/sdk'`, 'before.id'],
    [`import { BeforeToolCall as before } from 'svc/sdk'`, 'before.id'],
  ],
  [
    'types are imported as types',
    [
      `import type { Approver } from 'svc/sdk'`,
      `import { type ToolVerdict, Tools } from 'svc/sdk'`,
      'const a: Approver = b as ToolVerdict',
    ],
    [
      `import type { ApprovalHandler } from 'svc/sdk/safety'`,
      `import { type ToolDecision, Tools } from 'svc/sdk'`,
      'const a: ApprovalHandler = b as ToolDecision',
    ],
  ],
  [
    'comments within a statement stay',
    ['import {', '  // before a call', '  ToolCalling,', '  Tools,', `} from 'svc/sdk'`],
    ['import {', '  // before a call', '  BeforeToolCall,', '  Tools,', `} from 'svc/sdk'`],
  ],
  [
    'a name that the file uses otherwise keeps its old local name',
    [`import { ToolCalling } from 'svc/sdk'`, 'const BeforeToolCall = 1', 'on(ToolCalling)'],
    [`import { BeforeToolCall as ToolCalling } from 'svc/sdk'`, 'const BeforeToolCall = 1', 'on(ToolCalling)'],
  ],
  [
    'a name that another scope binds keeps its old local name',
    [`import { ToolCalling } from 'svc/sdk'`, 'function f(ToolCalling) { return ToolCalling }', 'on(ToolCalling)'],
    [
      `import { BeforeToolCall as ToolCalling } from 'svc/sdk'`,
      'function f(ToolCalling) { return ToolCalling }',
      'on(ToolCalling)',
    ],
  ],
  [
    'properties and texts of the same name stay',
    [
      `import { ToolCalling } from 'svc/sdk'`,
      `const a = { ToolCalling, b: x.ToolCalling, 'ToolCalling': 'ToolCalling' }`,
    ],
    [
      `import { BeforeToolCall } from 'svc/sdk'`,
      `const a = { ToolCalling: BeforeToolCall, b: x.ToolCalling, 'ToolCalling': 'ToolCalling' }`,
    ],
  ],
  [
    'what the plugin exports keeps its name',
    [
      `import { ToolCalling } from 'svc/sdk'`,
      'export { ToolCalling, ToolCalling as second }',
      `export { MessageReceived, Platforms } from 'svc/sdk'`,
    ],
    [
      `import { BeforeToolCall } from 'svc/sdk'`,
      'export { BeforeToolCall as ToolCalling, BeforeToolCall as second }',
      `export { BeforeUserMessage as MessageReceived } from 'svc/sdk'`,
      `export { Platforms } from 'svc/sdk/platform'`,
    ],
  ],
  [
    'names of a namespace are renamed',
    [
      `import * as sdk from 'svc/sdk'`,
      `on(sdk.ToolCalling, sdk['MessageReceived'], sdk.Tools)`,
      'let v: sdk.ToolVerdict',
    ],
    [
      `import * as sdk from 'svc/sdk'`,
      `on(sdk.BeforeToolCall, sdk["BeforeUserMessage"], sdk.Tools)`,
      'let v: sdk.ToolDecision',
    ],
  ],
  [
    'names that moved get a namespace of their entry point',
    [`import * as sdk from 'svc/sdk'`, 'add(sdk.Platforms, sdk.Tools)', 'let a: sdk.Approver'],
    [
      `import * as sdk from 'svc/sdk'`,
      `import * as sdkPlatform from 'svc/sdk/platform'`,
      `import * as sdkSafety from 'svc/sdk/safety'`,
      'add(sdkPlatform.Platforms, sdk.Tools)',
      'let a: sdkSafety.ApprovalHandler',
    ],
  ],
  [
    'a namespace that is not used any more is left out',
    [`import * as sdk from 'svc/sdk'`, 'add(sdk.Platforms)'],
    [`import * as sdkPlatform from 'svc/sdk/platform'`, 'add(sdkPlatform.Platforms)'],
  ],
  [
    'a namespace that is taken apart',
    [`import * as sdk from 'svc/sdk'`, 'const { ToolCalling, Platforms: p } = sdk'],
    [
      `import * as sdk from 'svc/sdk'`,
      `import * as sdkPlatform from 'svc/sdk/platform'`,
      'const { BeforeToolCall: ToolCalling } = sdk, { Platforms: p } = sdkPlatform',
    ],
  ],
  [
    'a dynamic import that is taken apart',
    [`const { ToolCalling, Platforms } = await import('svc/sdk')`],
    [
      `const { BeforeToolCall: ToolCalling } = await import('svc/sdk'), { Platforms } = await import('svc/sdk/platform')`,
    ],
  ],
  [
    'a dynamic import of one name',
    [`const p = (await import('svc/sdk')).Platforms`],
    [`const p = (await import('svc/sdk/platform')).Platforms`],
  ],
  [
    'a variable that holds the module',
    [`const sdk = await import('svc/sdk')`, 'sdk.ToolCalling; sdk.Platforms'],
    [
      `const sdk = await import('svc/sdk'), sdkPlatform = await import('svc/sdk/platform')`,
      'sdk.BeforeToolCall; sdkPlatform.Platforms',
    ],
  ],
  [
    'a dynamic import with a callback',
    [`import('svc/sdk').then(({ Platforms }) => Platforms)`],
    [`import('svc/sdk/platform').then(({ Platforms }) => Platforms)`],
  ],
  [
    'a type that is imported in place',
    [`let a: import('svc/sdk').Approver | import("svc/sdk").Tool`],
    [`let a: import('svc/sdk/safety').ApprovalHandler | import("svc/sdk").Tool`],
  ],
  [
    'the address of the earlier SDK becomes the present one',
    [`import { ToolCalling, Tools } from 'svc/sdk/0.1'`, 'ToolCalling'],
    [`import { BeforeToolCall, Tools } from 'svc/sdk'`, 'BeforeToolCall'],
  ],
  [
    'code for the present SDK stays',
    [`import { BeforeToolCall, Tools } from 'svc/sdk'`, `import { Platforms } from 'svc/sdk/platform'`, 'Tools'],
    [`import { BeforeToolCall, Tools } from 'svc/sdk'`, `import { Platforms } from 'svc/sdk/platform'`, 'Tools'],
  ],
] as const)('a plugin is rewritten: %s', async ([, before, after]) => {
  const text = await rewritten(before.join('\n'))
  expect(text).toBe(after.join('\n'))
  expect(await rewritten(text)).toBe(text)
})

test('a program in JavaScript with require is rewritten', async () => {
  const text = `const { ToolCalling } = require('svc/sdk')\nconst all = require("svc/sdk")\nall.Platforms`
  expect(await rewritten(text, 'index.cjs')).toBe(
    `const { BeforeToolCall: ToolCalling } = require('svc/sdk')\nconst all = require("svc/sdk"), allPlatform = require("svc/sdk/platform")\nallPlatform.Platforms`,
  )
})

test.for([
  [`export * from 'svc/sdk'`, /passes on all names/],
  [`import sdk from 'svc/sdk'`, /no default export/],
  [`import * as sdk from 'svc/sdk'\nsend(sdk)`, /passed on as a whole/],
  [`vi.mock('svc/sdk', () => ({}))`, /in a call/],
  [`import { Nonsense } from 'svc/sdk'\non(Nonsense)`, /does not export Nonsense/],
] as const)('%s is left to a person', async ([text, reason]) => {
  const { left, text: result } = await rewrite('index.ts', text, names)
  expect(left.map((each) => each.text).join()).toMatch(reason)
  expect(result).toBe(text)
})

test('the names that were used are listed with their lines', async () => {
  const { used } = await rewrite('index.ts', `// first\nimport { ToolCalling,\n Platforms } from 'svc/sdk'`, names)
  expect(used.map(({ rename, line }) => [rename.old, line])).toEqual([
    ['ToolCalling', 2],
    ['Platforms', 3],
  ])
})

test('a file that cannot be parsed is an error with its line', async () => {
  await expect(rewrite('index.ts', `import { Tools } from 'svc/sdk'\nconst = 1`, names)).rejects.toMatchObject({
    loc: { line: 2 },
  })
})
