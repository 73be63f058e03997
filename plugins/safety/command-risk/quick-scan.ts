/** A look at a text that is too tangled to be read: whether a program of the hard line is in it. Linear. */

const DISGUISE = /["'`\\]|\$@|\$\*|\$\{IFS[^}]*\}|\u200b/g
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [
    /\brm\s+(?:-[\w-]+\s+)*-[\w-]*[rR][\w-]*\s+(?:-[\w-]+\s+)*(?:\/(?:\s|\*|$|;|&|\||\)|bin|boot|etc|home|lib|opt|root|usr|var)|~|\$HOME|\$\{HOME)/,
    'deletes the root, a system folder or a whole home folder',
  ],
  [/--no-preserve-root/, 'deletes the root, a system folder or a whole home folder'],
  [/\b(?:mkfs|mke2fs|newfs)(?:\.\w+)?\s/, 'makes a new file system over what is there'],
  [
    /\bdd\b[^\n]{0,200}\bof=\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|md|dm-|mapper)/,
    'writes over a disk or a partition',
  ],
  [/>\s*\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk)/, 'writes over a disk or a partition'],
  [/\b(?:wipefs|blkdiscard|sgdisk)\s/, 'writes over a disk or a partition'],
  [/\b(?:shutdown|reboot|poweroff|halt|killall5)\b/, 'shuts the machine down or restarts it'],
  [/\bkill\s+-\w+\s+-1\b/, 'ends every process of the machine'],
  [/\binit\s+[06]\b/, 'shuts the machine down or restarts it'],
  [/\/proc\/sysrq-trigger/, 'shuts the machine down or restarts it'],
  [/:\(\)\s*\{\s*:\s*\|\s*:/, 'starts processes without end'],
]

/** Why a tangled text is refused, or undefined. */
export function quickScan(text: string): string | undefined {
  const bare = text.replace(DISGUISE, '').replace(/[\t ]+/g, ' ')
  return PROGRAMS.find(([program]) => program.test(text) || program.test(bare))?.[1]
}
