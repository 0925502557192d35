import { Fragment, options, type VNode } from 'preact'
import { unturned } from '../parts/value/visible.ts'

type Children = VNode['props']['children']

/** Whatever page shows it: texts of models, tools, callers and web pages come to a page as children of an element. */
export function unturnTexts(): void {
	const before = options.vnode
	options.vnode = (vnode: VNode) => {
		const { type, props } = vnode
		if (typeof type === 'string' || type === Fragment) props.children = mended(props.children)
		before?.(vnode)
	}
}

function mended(children: Children): Children {
	if (typeof children === 'string') return unturned(children)
	return Array.isArray(children) ? children.map(mended) : children
}
