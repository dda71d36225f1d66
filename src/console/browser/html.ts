import htm from 'htm'
import { type ComponentChildren, h, type VNode } from 'preact'

export type Children = { readonly children?: ComponentChildren }

/** Elements from a template. Values become text nodes and attributes, and are never parsed as HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => VNode
