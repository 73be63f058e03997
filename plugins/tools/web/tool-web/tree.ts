/** What is used of a document's tree: the program is compiled without the types of browsers. */

export interface TreeNode {
  readonly nodeName: string
  readonly parentNode: TreeNode | null
  readonly childNodes: ArrayLike<TreeNode>
}

export interface TreeElement extends TreeNode {
  getAttribute(name: string): string | null
  getElementsByTagName(name: string): ArrayLike<TreeElement>
}

export interface Tree {
  /** Where relative addresses start. */
  readonly baseURI: string
  readonly body: TreeElement
  querySelector(selector: string): TreeElement | null
  getElementsByTagName(name: string): ArrayLike<TreeElement>
}
