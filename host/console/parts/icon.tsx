/** Drawn on 16 × 16 with a line of 1.5. */
const paths = {
	agents: 'M3 3h10v7H3zM6 13h4M8 10v3',
	runs: 'M4.500 3v10l8-5z',
	failures: 'M8 2.500 14 13H2zM8 6.500v3M8 11.200v.1',
	approvals: 'M2.500 8.500 6 12l7.500-8',
	hub: 'M2.500 13V7M6.200 13V3M9.800 13V9M13.500 13V5',
	admin: 'M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
	docs: 'M4 2.500h6l2.500 2.500v8.500H4zM6.500 7h4M6.500 10h4',
	plus: 'M8 3v10M3 8h10',
	search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.600 10.600 14 14',
	copy: 'M5.500 5.500h8v8h-8zM3 10.500H2.500v-8h8V3',
	check: 'M3 8.500 6.500 12 13 4.500',
	close: 'M4 4l8 8M12 4l-8 8',
	chevron: 'M6 3.500 10.500 8 6 12.500',
	down: 'M3.500 6 8 10.500 12.500 6',
	external: 'M6.500 3.500H3v9.500h9.500V9.500M9 3h4v4M13 3 7.500 8.500',
	file: 'M4 2.500h5l3 3v8H4zM9 2.500v3h3',
	key: 'M10 9.500a3 3 0 1 0-2.700-1.700L2.500 12.600V14H5v-1.500h1.500L8.700 10M10.700 6.200v.1',
	link: 'M6.500 9.500 9.500 6.500M7 5l2-2a2.800 2.800 0 0 1 4 4l-2 2M9 11l-2 2a2.800 2.800 0 0 1-4-4l2-2',
	clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.200l2 1.500',
	stop: 'M4 4h8v8H4z',
	more: 'M3.500 8h.1M8 8h.1M12.500 8h.1',
	upload: 'M8 10.500V3M4.800 6 8 2.800 11.200 6M2.500 11v2.500h11V11',
	replay: 'M3 8a5 5 0 1 1 1.500 3.500M3 12.500V9h3.500',
} as const

export type IconName = keyof typeof paths

/** Says nothing to a screen reader: a word stands beside it, or the button is labelled. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
	return (
		<svg
			aria-hidden="true"
			width={size}
			height={size}
			viewBox="0 0 16 16"
			fill="none"
			stroke="currentColor"
			stroke-width={name === 'more' ? 2.5 : 1.5}
			stroke-linecap="round"
			stroke-linejoin="round"
		>
			<path d={paths[name]} />
		</svg>
	)
}
