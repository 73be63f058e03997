import type { ShellContext } from 'svc/sdk/shell'
import { expect, test } from 'vitest'
import { runArguments } from '../../../../../plugins/tools/shell/terminal-docker/arguments.ts'
import { config } from '../../../../../plugins/tools/shell/tool-terminal/config.ts'

const place = (settings: object): ShellContext => ({
  ...{ sessionId: 's', cwd: '/work', environment: {}, settings: config.parse(settings) },
})

test('by default nothing is shared and everything is limited', () => {
  const line = runArguments('svc-1', place({}), { forwarded: [] }).join(' ')
  expect(line).toContain('--cap-drop ALL')
  expect(line).toContain('--security-opt no-new-privileges --pids-limit 512')
  expect(line).toContain('--cpus 1 --memory 5120m')
  expect(line).not.toMatch(/ -[ve] /)
})

test('values of forwarded variables are not on the command line', () => {
  const line = runArguments('svc-1', place({ docker_env: { A: 'b c' } }), { forwarded: ['SECRET_NAME'] })
  expect(line.filter((_, at) => line[at - 1] === '-e')).toEqual(['A=b c', 'SECRET_NAME'])
})

test('volumes, network, limits and extra arguments are handed on as they stand', () => {
  const settings = {
    ...{ docker_volumes: ['/data:/data:ro'], docker_network: 'none', docker_extra_args: ['--gpus', 'all'] },
    ...{ docker_mount_cwd_to_workspace: true, container_cpu: 0, container_memory: 0, docker_image: 'image:1' },
  }
  const line = runArguments('svc-1', place(settings), { forwarded: [] }).join(' ')
  expect(line).toContain('--network none -v /work:/workspace -v /data:/data:ro --gpus all image:1 sh -c')
})

test('the volumes of a session hold the workspace, unless that is the folder of the session, and the home of root', () => {
  const volumes = { workspace: 'w', root: 'r' }
  const line = (settings: object) => runArguments('svc-1', place(settings), { forwarded: [], volumes }).join(' ')
  expect(line({})).toContain('-v w:/workspace -v r:/root')
  expect(line({ docker_mount_cwd_to_workspace: true })).toContain('-v /work:/workspace -v r:/root')
})
