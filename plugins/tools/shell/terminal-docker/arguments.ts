/** What `docker run` is told: little is allowed, and only what the settings name is shared. */
import type { ShellContext } from 'svc/sdk/shell'
import type { SessionVolumes } from './volumes.ts'

/** Where commands begin. */
export const WORKSPACE = '/workspace'
/** The home folder in most images. */
const ROOT_HOME = '/root'
/** What the container says once the workspace is there. */
export const READY = 'svc-ready'

const PIDS = 512
/** What installing packages and unpacking archives takes. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER']

/**
 * Arguments of `run`. The container lives as long as the input of this call: when svc dies, however, its first process
 * reads the end of it, ends, and takes all others and the container with it. `forwarded` are names only: their values are
 * in the environment of the call, where other users of the machine cannot read them. `volumes` outlive the container.
 */
export function runArguments(
  name: string,
  place: ShellContext,
  { forwarded, volumes }: { readonly forwarded: readonly string[]; readonly volumes?: SessionVolumes | undefined },
): string[] {
  const { settings, cwd } = place
  const workspace = settings.docker_mount_cwd_to_workspace ? cwd : volumes?.workspace
  const mounts = workspace === undefined ? [] : [`${workspace}:${WORKSPACE}`]
  if (volumes) mounts.push(`${volumes.root}:${ROOT_HOME}`)
  const fixed = Object.entries(settings.docker_env).map(([key, value]) => `${key}=${value}`)
  // A shell stays the first process, since it buries orphans; cat, which it would become without `exit`, does not.
  const keepOpen = `mkdir -p ${WORKSPACE}; echo ${READY}; cat >/dev/null; exit`
  return [
    ...['run', '-i', '--rm', '--name', name, '--label', 'svc.terminal=1'],
    ...['--cap-drop', 'ALL', ...CAPABILITIES.flatMap((each) => ['--cap-add', each])],
    ...['--security-opt', 'no-new-privileges', '--pids-limit', String(PIDS)],
    ...['--tmpfs', '/tmp:rw,nosuid,size=1g', '--network', settings.docker_network],
    ...(settings.container_cpu > 0 ? ['--cpus', String(settings.container_cpu)] : []),
    ...(settings.container_memory > 0 ? ['--memory', `${settings.container_memory}m`] : []),
    ...[...mounts, ...settings.docker_volumes].flatMap((each) => ['-v', each]),
    ...[...fixed, ...forwarded].flatMap((each) => ['-e', each]),
    ...settings.docker_extra_args,
    ...[settings.docker_image, 'sh', '-c', keepOpen],
  ]
}

/** Arguments of `exec` for a program in it. */
export function execArguments(name: string, command: readonly string[], pty: boolean): string[] {
  return ['exec', pty ? '-it' : '-i', name, 'sh', '-c', `cd ${WORKSPACE} 2>/dev/null; exec "$@"`, 'sh', ...command]
}
