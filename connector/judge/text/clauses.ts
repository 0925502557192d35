/** Parts of a short text that each say one thing: between stops and commas, and at "but" and "and". */
export const clausesOf = (text: string): string[] =>
	text
		.split(/[;\n]|(?<=[.!?])\s|,\s|\s(?:but|and|while|so|since|aber|und|mais|et|pero|y|maar|но|и|ama|ale)\s/u)
		.map((part) => part.trim())
		.filter(Boolean)
