/** Edits YAML that is written by hand. */
import { defineService, type Service } from './declarations.ts'

/**
 * One change to a YAML text. `path` leads from the root by keys, and into lists by index: `['servers', 'a.b', '0']`.
 * `value` is plain data and is set there, with the mappings on its path; undefined removes the entry, and the
 * mapping that this would leave empty. The index after the last of a list appends. `rename` gives a key another name
 * in its place. What is as it should be already stays as it is written.
 * @since 0.1
 */
export type YamlChange =
  | { readonly path: readonly string[]; readonly value: unknown }
  | { readonly path: readonly string[]; readonly rename: string }

/** The position of an entry in a YAML text. @since 0.2 */
export interface YamlLocation {
  readonly path: readonly string[]
  /** The line of its key or list item, from 1. */
  readonly line: number
  /** The offsets that enclose a text, number or such with its quotes. Mappings, lists and aliases have none. */
  readonly span?: readonly [start: number, end: number]
}

/** A YAML text that can be used. @since 0.2 */
export interface ParsedYaml {
  readonly values: Readonly<Record<string, unknown>>
  /** Every entry in the order of the text. */
  readonly places: readonly YamlLocation[]
}

/** Why a YAML text cannot be used, and what to do about it. Lines and columns count from 1. @since 0.2 */
export interface YamlError {
  readonly line: number
  readonly column: number
  readonly message: string
  /** Such as `keep one of the two`. */
  readonly hint: string
}

/** The text with both edits, or the line of the base (from 1) that both touch. @since 0.2 */
export type MergeResult = { readonly text: string } | { readonly conflictLine: number }

/**
 * Edits YAML as a careful person would: only the lines of what changes are touched. Comments, order, quotes, blank
 * lines, indentation, anchors and line endings of all the rest stay byte for byte; JSON stays JSON. A text holds one
 * document whose root is a mapping, or nothing yet. Texts go in and come out: files are up to the caller.
 * @since 0.2
 */
export interface YamlEditor {
  /** The values of a text and where they stand, or why it cannot be used. */
  parse(text: string): Promise<ParsedYaml | YamlError>
  /**
   * Makes all changes, one after the other, or none. Proven: what comes out parses and holds the expected values.
   * Throws `YAML_UNREADABLE` when the text cannot be used, `YAML_PATH` when a path leads through what holds no keys,
   * `YAML_ALIAS` when it leads into an alias, `YAML_UNSAFE` when a change cannot be made without touching other lines.
   */
  edit(text: string, changes: readonly YamlChange[]): Promise<string>
  /** Applies to `ours` what turned `base` into `theirs`, line by line. Two good texts may merge into a bad one: parse it. */
  merge(base: string, ours: string, theirs: string): Promise<MergeResult>
}
export const YamlEditor: Service<YamlEditor> = defineService('yaml')
