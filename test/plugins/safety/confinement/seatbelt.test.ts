import { expect, test } from 'vitest'
import { readNeeds } from '../../../../plugins/safety/confinement/needs.ts'
import { seatbeltProfile } from '../../../../plugins/safety/confinement/seatbelt.ts'
import type { View } from '../../../../plugins/safety/confinement/view.ts'

const machine = { home: '/Users/me', temporary: '/private/tmp', svcHomes: ['/Users/me/.svc'] }

function createView(needs: readonly string[] = []): View {
  return {
    ...{
      project: '/Users/me/app',
      home: '/Users/me',
      privateHome: '/private/tmp/s/home',
      temporary: '/private/tmp/s/tmp',
    },
    ...{ shown: ['/Users/me/.cargo/bin'], writable: ['/Users/me/app'], cwd: '/Users/me/app' },
    guarded: {
      ...{ kept: ['/Users/me/app/.git/hooks'], absent: [{ path: '/Users/me/app/.vscode' }] },
      ...{ links: ['/Users/me/app/.envrc'], besides: [] },
    },
    ...{ pinned: ['/Users/me/app/.git'], hidden: ['/Users/me/.cargo/bin/"odd'], needs: readNeeds(needs, '/', machine) },
  }
}

const lines = (view: View, port?: number) => seatbeltProfile(view, port).split('\n')

test('the profile for macOS denies first, and what is guarded after what is permitted', () => {
  const profile = lines(createView())
  expect(profile.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
  const at = (start: string) => profile.findIndex((line) => line.startsWith(start))
  expect(at('(allow file-write* (subpath "/Users/me/app")')).toBeGreaterThan(1)
  expect(
    at('(deny file-write* (subpath "/Users/me/app/.git/hooks") (subpath "/Users/me/app/.vscode")'),
  ).toBeGreaterThan(at('(allow file-write*'))
  expect(profile[at('(deny file-write* ')]).toContain('/Users/me/app/.envrc')
  expect(profile).toContain('(deny file-write-unlink (literal "/Users/me/app/.git"))')
  expect(profile).toContain('(deny file-read* file-write* (subpath "/Users/me/.cargo/bin/\\"odd"))')
})

test('the profile opens the network for what was granted and for nothing else', () => {
  const outbound = (view: View, port?: number) => lines(view, port).filter((line) => line.includes('network'))
  expect(outbound(createView())).toEqual(['(deny network*)'])
  expect(outbound(createView(['network:example.org']), 4711)).toEqual([
    ...['(deny network*)', '(allow network-outbound (remote ip "localhost:4711"))'],
  ])
  expect(outbound(createView(['network']))).toEqual(['(allow network*)'])
  expect(outbound(createView(['port:3000'])).join()).toContain(
    '(allow network-bind network-inbound (local ip "localhost:3000"))',
  )
  expect(outbound(createView(['socket:docker'])).join()).toContain('/private/var/run/docker.sock')
})
