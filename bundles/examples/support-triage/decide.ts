/** What the models found out. */
export interface Signals {
	topic: 'billing' | 'bug' | 'how_to' | 'security' | 'other'
	sure: boolean
	outage: boolean
	angry: boolean
	plan: 'free' | 'pro' | 'enterprise'
}

export interface Decision {
	queue: 'billing' | 'bug' | 'how_to' | 'security' | 'people'
	/** 0: this week, 1: today, 2: this hour, 3: now. */
	urgency: number
	/** Every rule that spoke, so that a person can disagree with one. */
	because: string[]
	/** A draft may be written; otherwise a person answers. */
	answerable: boolean
}

export function decide({ topic, sure, outage, angry, plan }: Signals): Decision {
	const because: string[] = []
	const say = (reason: string) => void because.push(reason)
	if (topic === 'security') {
		say('security goes to people at once')
		return { queue: 'security', urgency: 3, because, answerable: false }
	}
	const queue = sure && topic !== 'other' ? topic : 'people'
	if (queue === 'people') say(topic === 'other' ? 'no topic fits' : 'the topic is not certain')
	let urgency = plan === 'enterprise' ? 1 : 0
	if (plan === 'enterprise') say('enterprise is answered the same day')
	if (outage) {
		urgency = plan === 'free' ? 2 : 3
		say('something that worked is down')
	}
	if (angry) {
		urgency = Math.max(urgency, 1)
		say('the customer is angry')
	}
	return { queue, urgency, because, answerable: queue === 'how_to' || (queue === 'billing' && !angry) }
}
