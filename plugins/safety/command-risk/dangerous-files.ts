/** Patterns about files: what is deleted, overwritten, opened to everybody, read or sent away. */

import type { Script } from './normalise.ts'
import { after, has, operands, option } from './options.ts'
import { absolutePath, throughLinks } from './paths.ts'
import type { Matchers } from './pattern.ts'
import { holdsSecrets, isBlockDevice, resolvePath, sensitive } from './sensitive-paths.ts'
import type { Command } from './walk.ts'
import { listWritten } from './written-paths.ts'

export const filePatterns = {
  'recursive-delete': ({ name, args }) =>
    /^(rm|del|rd|remove-item|trash|rimraf|srm)$/.test(name) &&
    (name === 'rimraf' || option(args, 'rR', ['--recursive', '-recurse', '/s'])),
  'delete-system-file': (command, script) =>
    /^(rm|unlink|shred|rmdir|remove-item)$/.test(command.name) &&
    paths(command, operands(command.args), script).some(
      (path) => sensitive(path) ?? /^\/(var|home|root|opt|srv)\/[^/]*$|^~$/.test(path),
    ),
  'delete-by-pattern': ({ name, args }) =>
    /^(rm|unlink|remove-item)$/.test(name) && operands(args).some((word) => /(^|\/)(\*|\.\*)$/.test(word)),
  'forced-delete': ({ name, args }) => name === 'remove-item' && option(args, '', ['-force']),
  'shred-files': ({ name }) => /^(shred|wipe|srm|scrub|bleachbit)$/.test(name),
  'find-delete': ({ name, args }) =>
    /^(find|fd|fdfind)$/.test(name) &&
    (has(args, '-delete') ||
      args.some((word, at) => /^-[a-zA-Z]*c$/.test(args[at - 1] ?? '') && /\b(rm|shred|unlink)\s/.test(word)) ||
      args.some(
        (word, at) =>
          /^(--?exec(dir|-batch)?|-ok(dir)?|-x|-X)$/.test(word) && /(^|\/)(rm|shred|unlink)$/.test(args[at + 1] ?? ''),
      )),
  'fed-delete': ({ name, wrappers }) =>
    /^(rm|unlink|shred|rmdir)$/.test(name) &&
    wrappers.some(([wrapper]) => wrapper === 'xargs' || wrapper === 'parallel'),
  'sync-delete': ({ name, args }) =>
    (name === 'rsync' &&
      args.some((word) => /^--(del|delete.*|remove-source-files)$/.test(word)) &&
      !option(args, 'n', ['--dry-run'])) ||
    (name === 'rclone' && /^(sync|purge|delete)$/.test(args[0] ?? '')) ||
    (name === 'robocopy' && args.some((word) => /^\/(mir|purge)$/i.test(word))),
  'move-away': ({ name, args }) => name === 'mv' && operands(args).at(-1) === '/dev/null',
  'truncate-file': ({ name, args }) =>
    (name === 'cp' && operands(args)[0] === '/dev/null' && operands(args).length > 1) ||
    (name === 'dd' && has(args, 'count=0') && args.some((word) => word.startsWith('of='))) ||
    (name === 'truncate' &&
      / (-s ?|--size[= ])(0|-\d+) /.test(` ${args.join(' ')} `) &&
      !operands(args)
        .filter((word) => !/^-?\d+$/.test(word))
        .every((word) => /^(?!\/|~|\.\.).*\.(log|out)(\.\d+)?$/.test(word))),
  'open-mode': (command) => command.name === 'chmod' && wide(command),
  'recursive-mode': (command) =>
    /^(chmod|chgrp|setfacl)$/.test(command.name) &&
    option(command.args, 'R', ['--recursive']) &&
    (command.name !== 'chmod' ||
      wide(command) ||
      command.args.some((word) => /^[0-7]{3,4}$/.test(word) && !/^0?(755|644|700|600|750|640|775|664)$/.test(word))),
  'set-user-id': ({ name, args }) =>
    (name === 'chmod' && args.some((word) => /^[246][0-7]{3}$|^[ug]*[+=][rwxX]*s/.test(word))) || name === 'setcap',
  'recursive-owner': ({ name, args }) =>
    name === 'chown' && (option(args, 'R', ['--recursive']) || args.some((word) => /^(root|0)(:|$)/.test(word))),
  'immutable-file': ({ name, args }) =>
    /^(chattr|chflags)$/.test(name) && args.some((word) => /^[-+=][a-z]*[ia]|^(no)?(uchg|schg)/.test(word)),
  'block-device': (command, script) =>
    /^(dd|fdisk|sfdisk|gdisk|sgdisk|parted|partprobe|resize2fs|fsck.*|e2fsck|losetup|mdadm|lvremove|vgremove|pvremove|cryptsetup|hdparm|nvme|wipefs|blkdiscard|tune2fs|swapoff)$/.test(
      command.name,
    ) &&
    !option(command.args, 'l', ['--list', '--help', '--version']) &&
    (command.name !== 'dd' ||
      command.args.some((word) => /^(of|if)=\/dev\/(?!null|zero|u?random|stdin|stdout)/.test(word)) ||
      paths(command, listWritten(command), script).some((path) => sensitive(path))),
  'read-device': (command, script) =>
    /^(cat|cp|strings|xxd|hexdump|debugfs)$/.test(command.name) &&
    paths(command, operands(command.args), script).some(isBlockDevice),
  'sensitive-write': (command, script) =>
    !isFromExample(command) &&
    paths(command, listWritten(command), script).some((path) => sensitive(path) !== undefined),
  'send-secrets': (command) =>
    /^(curl|wget|nc|ncat|netcat|scp|rsync|ftp|sftp|http|https|aws|rclone|socat)$/.test(command.name) &&
    ([...command.args, ...inputs(command)].some(
      (word) => SECRET_FOLDER.test(word) || holdsSecrets(word.replace(/^[\w-]*=?@/, '')) || /@\S*\.env\b/.test(word),
    ) ||
      readsSecrets(command.from)) &&
    !/^-i$/.test(command.args[0] ?? ''),
  'unpack-to-root': (command, script) =>
    (command.name === 'tar' &&
      (option(command.args, 'x', ['--extract', '--get']) || /^[a-zA-Z]*x/.test(command.args[0] ?? '')) &&
      paths(command, [after(command.args, /^(-[a-zA-Z]*C|--directory)$/) ?? '.'], script).some(
        (path) => path === '/' || sensitive(`${path}/x`),
      )) ||
    (command.name === 'unzip' &&
      paths(command, [after(command.args, /^-d$/) ?? '.'], script).some(
        (path) => path === '/' || sensitive(`${path}/x`),
      )),
  mount: ({ name, args }) =>
    (name === 'mount' && operands(args).length > 0) || /^(umount|pivot_root|swapon)$/.test(name),
} satisfies Matchers

const SECRET_FOLDER = /(?:^|\/)\.(?:ssh|aws|gnupg|kube)\/?$/

/** A mode by which others may write. */
function wide({ args }: Command): boolean {
  const modes = args.flatMap((word) => word.split(','))
  return modes.some((mode) => /^[ug]*[ao][ugoa]*[+=][rxXst]*w|^[0-7]?[0-7]{2}[2367]$/.test(mode))
}

/** The paths that words are: as they are written, and where known links lead. */
function paths(command: Command, words: readonly string[], { home, state, ground }: Script): string[] {
  return words.flatMap((word) => {
    const path = absolutePath(word, command.cwd, home)
    const led = path === undefined ? undefined : throughLinks(path, state.links)
    const real = path === undefined ? undefined : ground.real.get(path)
    return [resolvePath(word, command.cwd), led === path ? undefined : led, real].filter((each) => each !== undefined)
  })
}

function inputs({ redirects }: Command): string[] {
  return redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)
}

function readsSecrets(command: Command | undefined): boolean {
  for (let at = command, steps = 0; at && steps < 20; at = at.from, steps++)
    if (operands(at.args).some((path) => holdsSecrets(path) || SECRET_FOLDER.test(path) || /(^|\/)\.env$/.test(path)))
      return true
  return false
}

/** `cp .env.example .env` */
function isFromExample({ name, args }: Command): boolean {
  const [from = '', to = '', more] = operands(args)
  return (
    name === 'cp' &&
    more === undefined &&
    /\.env[\w.-]*$/.test(to) &&
    /\.env\.(?:[\w-]+\.)?(?:example|sample|template|dist)$/.test(from)
  )
}
