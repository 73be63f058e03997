/** Patterns about files: what is deleted, overwritten, opened to everybody, read or sent away. */
import type { Command } from './normalise.ts'
import { after, has, operands, option } from './options.ts'
import type { Pattern } from './pattern.ts'
import { holdsSecrets, isBlockDevice, resolved, sensitive } from './places.ts'

export const filePatterns: readonly Pattern[] = [
  {
    name: 'recursive-delete',
    why: 'deletes folders with all that is in them',
    matches: ({ name, args }) =>
      /^(rm|del|rd|remove-item|trash|rimraf|srm)$/.test(name) &&
      (name === 'rimraf' || option(args, 'rR', ['--recursive', '-recurse', '/s'])),
  },
  {
    name: 'delete-system-file',
    why: 'deletes files of the system or of other programs',
    matches: (command) =>
      /^(rm|unlink|shred|rmdir|remove-item)$/.test(command.name) &&
      paths(command, operands(command.args)).some(
        (path) => sensitive(path) ?? /^\/(var|home|root|opt|srv)\/[^/]*$|^~$/.test(path),
      ),
  },
  {
    name: 'delete-by-pattern',
    why: 'deletes every file that fits a wide pattern',
    matches: ({ name, args }) =>
      /^(rm|unlink|remove-item)$/.test(name) && operands(args).some((word) => /(^|\/)(\*|\.\*)$/.test(word)),
  },
  {
    name: 'forced-delete',
    why: 'deletes without asking and hides what fails',
    matches: ({ name, args }) => name === 'remove-item' && option(args, '', ['-force']),
  },
  {
    name: 'shred-files',
    why: 'overwrites files so that they cannot be restored',
    matches: ({ name }) => /^(shred|wipe|srm|scrub|bleachbit)$/.test(name),
  },
  {
    name: 'find-delete',
    why: 'deletes every file that a search finds',
    matches: ({ name, args }) =>
      /^(find|fd|fdfind)$/.test(name) &&
      (has(args, '-delete') ||
        args.some(
          (word, at) =>
            /^(-exec(dir)?|-ok(dir)?|-x|-X)$/.test(word) && /(^|\/)(rm|shred|unlink)$/.test(args[at + 1] ?? ''),
        )),
  },
  {
    name: 'fed-delete',
    why: 'deletes the files that another command lists',
    matches: ({ name, wrappers }) =>
      /^(rm|unlink|shred|rmdir)$/.test(name) &&
      wrappers.some(([wrapper]) => wrapper === 'xargs' || wrapper === 'parallel'),
  },
  {
    name: 'sync-delete',
    why: 'deletes what the other side does not have',
    matches: ({ name, args }) =>
      (name === 'rsync' && args.some((word) => /^--(del|delete.*|remove-source-files)$/.test(word))) ||
      (name === 'rclone' && /^(sync|purge|delete)$/.test(args[0] ?? '')) ||
      (name === 'robocopy' && args.some((word) => /^\/(mir|purge)$/i.test(word))),
  },
  {
    name: 'move-away',
    why: 'moves files to where they are lost',
    matches: ({ name, args }) => name === 'mv' && operands(args).at(-1) === '/dev/null',
  },
  {
    name: 'truncate-file',
    why: 'empties files',
    matches: (command) =>
      command.name === 'truncate' &&
      /^(0|-\d+)$/.test(
        after(command.args, /^(-s|--size)$/) ??
          command.args.find((word) => /^(-s|--size=)/.test(word))?.replace(/^(-s|--size=)/, '') ??
          '',
      ),
  },
  {
    name: 'open-mode',
    why: 'lets everybody write to files',
    matches: (command) => command.name === 'chmod' && wide(command),
  },
  {
    name: 'recursive-mode',
    why: 'changes the rights of a whole tree',
    matches: (command) =>
      /^(chmod|chgrp|setfacl)$/.test(command.name) &&
      option(command.args, 'R', ['--recursive']) &&
      (command.name !== 'chmod' ||
        wide(command) ||
        command.args.some((word) => /^[0-7]{3,4}$/.test(word) && !/^0?(755|644|700|600|750|640|775|664)$/.test(word))),
  },
  {
    name: 'set-user-id',
    why: 'makes a program run with the rights of its owner',
    matches: ({ name, args }) =>
      (name === 'chmod' && args.some((word) => /^[246][0-7]{3}$|^[ug]*\+[rwxX]*s/.test(word))) || name === 'setcap',
  },
  {
    name: 'recursive-owner',
    why: 'changes the owner of a whole tree or gives files to root',
    matches: ({ name, args }) =>
      name === 'chown' && (option(args, 'R', ['--recursive']) || args.some((word) => /^(root|0)(:|$)/.test(word))),
  },
  {
    name: 'immutable-file',
    why: 'locks or unlocks files against every change',
    matches: ({ name, args }) =>
      /^(chattr|chflags)$/.test(name) && args.some((word) => /^[-+=][a-z]*[ia]|^(no)?(uchg|schg)/.test(word)),
  },
  {
    name: 'block-device',
    why: 'works on a disk or a partition directly',
    matches: (command) =>
      /^(dd|fdisk|sfdisk|gdisk|sgdisk|parted|partprobe|resize2fs|fsck.*|e2fsck|losetup|mdadm|lvremove|vgremove|pvremove|cryptsetup|hdparm|nvme|wipefs|blkdiscard|tune2fs|swapoff)$/.test(
        command.name,
      ) &&
      !option(command.args, 'l', ['--list', '--help', '--version']) &&
      (command.name !== 'dd' ||
        command.args.some((word) => /^(of|if)=\/dev\/(?!null|zero|u?random|stdin|stdout)/.test(word)) ||
        paths(command, written(command)).some((path) => sensitive(path))),
  },
  {
    name: 'read-device',
    why: 'reads a disk past the rights of its files',
    matches: (command) =>
      /^(cat|cp|strings|xxd|hexdump|debugfs)$/.test(command.name) &&
      paths(command, operands(command.args)).some(isBlockDevice),
  },
  {
    name: 'sensitive-write',
    why: 'changes files that decide what the system, a shell or another program does',
    matches: (command) => paths(command, written(command)).some((path) => sensitive(path) !== undefined),
  },
  {
    name: 'sensitive-read',
    why: 'reads private keys or passwords',
    matches: (command) =>
      !/^(ls|stat|test|\[|\[\[|ssh|scp|sftp|ssh-add|ssh-keygen|git|rsync|chmod|file|find|echo|printf|cd|rm|touch)$/.test(
        command.name,
      ) && [...operands(command.args), ...inputs(command)].some((path) => holdsSecrets(path)),
  },
  {
    name: 'send-secrets',
    why: 'sends private files to another machine',
    matches: (command) =>
      /^(curl|wget|nc|ncat|netcat|scp|rsync|ftp|sftp|http|https|aws|rclone|socat)$/.test(command.name) &&
      ([...command.args, ...inputs(command)].some(
        (word) => holdsSecrets(word.replace(/^[\w-]*=?@/, '')) || /@\S*\.env\b/.test(word),
      ) ||
        readsSecrets(command.from)) &&
      !/^-i$/.test(command.args[0] ?? ''),
  },
  {
    name: 'unpack-to-root',
    why: 'unpacks an archive over files of the system',
    matches: (command) =>
      (command.name === 'tar' &&
        (option(command.args, 'x', ['--extract', '--get']) || /^[a-zA-Z]*x/.test(command.args[0] ?? '')) &&
        paths(command, [after(command.args, /^(-[a-zA-Z]*C|--directory)$/) ?? '.']).some(
          (path) => path === '/' || sensitive(`${path}/x`),
        )) ||
      (command.name === 'unzip' &&
        paths(command, [after(command.args, /^-d$/) ?? '.']).some((path) => path === '/' || sensitive(`${path}/x`))),
  },
  {
    name: 'mount',
    why: 'changes what is mounted',
    matches: ({ name, args }) =>
      (name === 'mount' && operands(args).length > 0) || /^(umount|pivot_root|swapon)$/.test(name),
  },
]

/** A mode by which others may write. */
function wide({ args }: Command): boolean {
  const modes = args.flatMap((word) => word.split(','))
  return modes.some((mode) => /^[ug]*[ao][ugoa]*[+=][rxXst]*w|^[0-7]?[0-7]{2}[2367]$/.test(mode))
}

function paths(command: Command, words: readonly string[]): string[] {
  return words.flatMap((word) => resolved(word, command.cwd) ?? [])
}

function inputs({ redirects }: Command): string[] {
  return redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)
}

function readsSecrets(command: Command | undefined): boolean {
  for (let at = command, steps = 0; at && steps < 20; at = at.from, steps++)
    if (operands(at.args).some((path) => holdsSecrets(path) || /(^|\/)\.env$/.test(path))) return true
  return false
}

/** Files that a command writes to. */
function written({ name, args, redirects }: Command): string[] {
  const files = redirects
    .filter(({ operator }) => operator.includes('>') && operator !== '>&')
    .map(({ target }) => target)
  const targets = operands(args)
  if (name === 'tee' || name === 'touch' || name === 'truncate') return [...files, ...targets]
  if (/^(cp|mv|install|ln|copy-item|move-item)$/.test(name))
    return [
      ...files,
      after(args, /^(-t|--target-directory)$/) ?? targets.at(-1) ?? '',
      ...(name === 'mv' ? targets : []),
    ]
  if (/^(sed|perl|ruby)$/.test(name) && args.some((word) => /^(-[a-zA-Z]*i\S*|--in-place.*)$/.test(word)))
    return [...files, ...targets]
  if (name === 'dd') return [...files, ...args.filter((word) => word.startsWith('of=')).map((word) => word.slice(3))]
  if (/^(vi|vim|ex|ed|nano|emacs|sponge|patch|chattr)$/.test(name)) return [...files, ...targets]
  if (name === 'curl') return [...files, after(args, /^(-[a-zA-Z]*o|--output)$/) ?? '']
  if (name === 'wget') return [...files, after(args, /^(-[a-zA-Z]*O|--output-document)$/) ?? '']
  return files
}
