/** The config block `terminal`: of the tool and of all backends. */
import { z } from 'zod'

/** Of a command in the foreground. */
export const LONGEST_SECONDS = 600

export const config = z.object({
  backend: z.string().min(1).default('local').meta({
    description:
      'Where commands run: local, docker, podman, ssh or bubblewrap. The variable TERMINAL_ENV goes before it.',
  }),
  confine: z.enum(['auto', 'required', 'off']).default('auto').meta({
    description:
      'Commands on this machine change the project only and reach no network: auto, where the machine can confine; required, or they do not run; off, never.',
  }),
  timeout: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .default(180)
    .meta({ description: 'Seconds a command may take when the model names no time of its own; at most 600.' }),
  persistent_shell: z.boolean().default(true).meta({
    description:
      'Keep one shell per session, so that folder, variables and functions last between commands. TERMINAL_<BACKEND>_PERSISTENT and TERMINAL_PERSISTENT_SHELL go before it.',
  }),
  env_passthrough: z.array(z.string()).default([]).meta({
    description: 'Names of environment variables that commands may see although they look like secrets.',
  }),
  docker_image: z.string().min(1).default('nikolaik/python-nodejs:python3.11-nodejs20').meta({
    description: 'The image of docker and podman containers.',
  }),
  docker_forward_env: z.array(z.string()).default([]).meta({
    description:
      'Names of variables that containers get; the values come from the environment, else from .env. No others get in.',
  }),
  docker_mount_cwd_to_workspace: z.boolean().default(false).meta({
    description: 'Mount the folder that the session works in as /workspace. Commands are then asked about again.',
  }),
  docker_env: z
    .record(z.string(), z.string().meta({ description: 'The value of one variable.' }))
    .default({})
    .meta({ description: 'Variables that containers get, with their values.' }),
  docker_volumes: z.array(z.string()).default([]).meta({
    description: 'Additional mounts, in the form of -v: /data:/data:ro. Commands then need approval again.',
  }),
  docker_network: z.string().min(1).default('bridge').meta({
    description: 'The network of containers, as --network takes it; none: without one.',
  }),
  docker_extra_args: z.array(z.string()).default([]).meta({
    description: 'More arguments of docker run. Commands are then asked about again.',
  }),
  container_cpu: z.number().min(0).default(1).meta({ description: 'Processors a container may use; 0: all.' }),
  container_memory: z.number().min(0).default(5120).meta({
    description: 'Megabytes of memory a container may use; 0: all.',
  }),
  container_persistent: z.boolean().default(true).meta({
    description:
      'Keep the files in /workspace and /root of a container with the session, in volumes; they are removed 30 days after their last use.',
  }),
  ssh_host: z
    .string()
    .default('')
    .meta({ description: 'The machine that ssh goes to; the variable for it outweighs this.' }),
  ssh_user: z.string().default('').meta({ description: 'The user there; the variable for it outweighs this.' }),
  ssh_port: z.number().int().min(1).max(65_535).default(22).meta({
    description: 'The port there; the variable for it outweighs this.',
  }),
  ssh_key: z.string().default('').meta({
    description: 'The file with the private key; the variable for it outweighs this. Empty: what ssh finds.',
  }),
  ssh_folder: z.string().default('').meta({
    description: 'The folder there that sessions work in, such as ~/project. Empty: the folder of the user.',
  }),
  bubblewrap_network: z.boolean().default(false).meta({ description: 'Let bubblewrap commands reach the network.' }),
  bubblewrap_writable: z.array(z.string()).default([]).meta({
    description: 'Folders that bubblewrap commands may write to besides the one they work in.',
  }),
})

export type Config = z.infer<typeof config>
