import { Fragment, h, options } from 'preact'
import { expect, test } from 'vitest'
import { unturnTexts } from '../../../../host/console/app/unturned.ts'

test('a character that turns the text after it is shown as its escape, wherever a text is a child', () => {
	const before = options.vnode
	unturnTexts()
	const turned = 'safe\u202eevil\u2066'
	const shown = 'safe\\u202eevil\\u2066'
	expect(h('p', null, turned).props.children).toBe(shown)
	expect(h(Fragment, null, 'a', [turned]).props.children).toEqual(['a', [shown]])
	expect(h('p', null, 'عربي 👩‍👧').props.children).toBe('عربي 👩‍👧')
	options.vnode = before as NonNullable<typeof before>
})
