import type { ProcessSandbox, SandboxPolicy } from 'svc/sdk/shell'
import { expect, test } from 'vitest'
import { getLaunch } from '../../../../plugins/safety/command-hooks/launcher.ts'

function provideConfinement(works: boolean) {
  const launched: (SandboxPolicy & { readonly program: readonly string[] })[] = []
  const closed: string[] = []
  const confinement = {
    status: async () => ({ works, detail: 'no bubblewrap' }),
    launch: async (program: readonly string[], place: SandboxPolicy) => {
      launched.push({ ...place, program })
      return {
        command: ['bwrap', ...program],
        environment: {},
        cwd: place.cwd,
        close: async () => void closed.push('proxy'),
      }
    },
  } as unknown as ProcessSandbox
  return { launched, closed, confinement: () => confinement }
}

const hook = { command: './check.sh', needs: ['network:example.com'] }
const place = { cwd: '/srv/app/src', project: '/srv/app' }
const environment = () => ({ PATH: '/bin' })

test('where the machine can confine, a hook runs confined to its project with the needs it names', async () => {
  const { confinement, launched, closed } = provideConfinement(true)
  const launch = await getLaunch(hook, place, { mode: 'auto', confinement, environment })
  expect(launch.command).toEqual(['bwrap', '/bin/sh', '-c', './check.sh'])
  expect(launched).toMatchObject([{ project: '/srv/app', cwd: '/srv/app/src', needs: ['network:example.com'] }])
  await launch.close()
  expect(closed).toEqual(['proxy'])
})

test('where it cannot, a hook runs freely, or not at all where confinement is required', async () => {
  const { confinement, launched } = provideConfinement(false)
  const free = await getLaunch({ ...hook, args: ['--fast'] }, place, { mode: 'auto', confinement, environment })
  expect(free.command).toEqual(['./check.sh', '--fast'])
  expect(launched).toEqual([])
  await expect(getLaunch(hook, place, { mode: 'required', confinement, environment })).rejects.toThrow(
    /did not run: no bubblewrap/,
  )
})

test('confinement can be switched off', async () => {
  const { confinement, launched } = provideConfinement(true)
  await getLaunch(hook, place, { mode: 'off', confinement, environment })
  expect(launched).toEqual([])
})
