import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'

export interface Column<T> {
	head: string
	cell(row: T): ComponentChildren
	/** Right-aligned, one width a figure. */
	number?: boolean
	/** Goes first where the page is narrow. */
	minor?: boolean
	/** Its head is read aloud and not shown: buttons say what they do. */
	silent?: boolean
}

interface TableProps<T> {
	/** Said to a screen reader. */
	label: string
	columns: Column<T>[]
	rows: T[]
	id(row: T): string
	/** The whole row is clickable; the first cell is the link. */
	href?: (row: T) => string
	/** Below the last row, where there is more. */
	more?: ComponentChildren
}

export function Table<T>({ label, columns, rows, id, href, more }: TableProps<T>) {
	const { route } = useLocation()
	const go = (row: T) => (event: MouseEvent) => {
		if (!href || (event.target as Element).closest('a, button, input, select, label, summary, dialog')) return
		if (getSelection()?.toString()) return
		if (event.metaKey || event.ctrlKey) open(href(row), '_blank', 'noopener')
		else route(href(row))
	}
	return (
		<div class="table">
			<table>
				<caption class="visually-hidden">{label}</caption>
				<thead>
					<tr>
						{columns.map(({ head, number, minor, silent }) => (
							<th key={head} scope="col" class={classes(number, minor)}>
								{silent ? <span class="visually-hidden">{head}</span> : head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={id(row)} class={href ? 'clickable' : ''} onClick={go(row)}>
							{columns.map(({ head, cell, number, minor }, i) => (
								<td key={head} class={classes(number, minor)}>
									{i === 0 && href ? <a href={href(row)}>{cell(row)}</a> : cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
			{more}
		</div>
	)
}

const classes = (number?: boolean, minor?: boolean) =>
	`${number ? 'number' : ''} ${minor ? 'minor' : ''}`.trim()
