/** Files that need each other, directly or not, as groups of two and more; the groups of Tarjan's algorithm. */
export function circlesOf(needs: Map<string, string[]>): string[][] {
	const order = new Map<string, number>()
	const trail: string[] = []
	const onTrail = new Set<string>()
	const circles: string[][] = []
	const visit = (path: string): number => {
		const place = order.size
		let low = place
		order.set(path, place)
		trail.push(path)
		onTrail.add(path)
		for (const next of needs.get(path) ?? []) {
			if (!order.has(next)) low = Math.min(low, visit(next))
			else if (onTrail.has(next)) low = Math.min(low, order.get(next) as number)
		}
		if (low !== place) return low
		const circle = trail.splice(trail.indexOf(path))
		for (const one of circle) onTrail.delete(one)
		if (circle.length > 1) circles.push(circle.sort())
		return low
	}
	for (const path of needs.keys()) if (!order.has(path)) visit(path)
	return circles
}
