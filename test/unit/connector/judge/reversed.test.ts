// Who does what to whom: the same from the other side, turned round where that cannot hold too, and open where it can.
import { describe, expect, test } from 'vitest'
import { type Direction, directionOf } from '../../../../connector/judge/rules/reversed.ts'

const CASES: [kind: string, claim: string, evidence: string, says: Direction | null][] = [
	['office', 'Vera works for Milan.', 'Milan is the boss of Vera.', 'same'],
	['office', "Vera's boss is Milan.", 'Vera reports to Milan.', 'same'],
	['office', "Vera is Milan's boss.", 'Vera reports to Milan.', 'turned'],
	['family', 'Ravi is the son of Mina.', 'Mina is the mother of Ravi.', 'same'],
	['family', 'Mina is the father of Ravi.', 'Mina is the mother of Ravi.', null],
	['family', 'Ravi is the father of Mina.', 'Mina is the mother of Ravi.', 'turned'],
	['owners', 'The barn belongs to Ida.', 'Ida owns the barn.', 'same'],
	['places', 'The bakery is above the bank.', 'The bank is above the bakery.', 'turned'],
	['time', 'Jun arrived after Lea.', 'Lea arrived before Jun. Sam was not there.', 'same'],
	['time', 'Jun left before Lea.', 'Lea arrived before Jun.', null],
	['matches', 'Lions were beaten by Hawks.', 'Lions lost to Hawks.', 'same'],
	['matches', 'Lions beat Hawks in 2010.', 'Hawks beat Lions in 2012.', 'open'],
	['matches', 'Lions beat Hawks.', 'Hawks beat Lions in May. Lions beat Hawks in June.', null],
	['debts', 'Ida owes Ravi 40 pounds.', 'Ravi owes Ida 40 pounds.', 'open'],
	['debts', 'Ravi owes Ida 40 pounds.', 'Ravi owes Ida 14 pounds.', null],
	['deeds', 'Vera hired Milan.', 'Milan hired Vera.', 'open'],
	['deeds', 'Vera was hired by Milan.', 'Milan hired Vera.', 'same'],
	['deeds', 'Vera hired Milan.', 'The brother of Vera hired Milan.', null],
	['deeds', 'Vera hired Milan.', "Vera hired Milan's sister.", null],
	['deeds', 'Vera hired Milan.', 'Vera never hired Milan.', null],
	['deeds', 'Vera hired Milan.', 'Ida thinks that Vera hired Milan.', null],
	['deeds', 'Vera hired Milan.', 'If Vera hired Milan, it would be odd.', null],
]

describe('who does what to whom', () => {
	// Proves: judge.who-to-whom
	test.each(CASES)('of %s: %s ← %s', (_, claim, evidence, says) => {
		expect(directionOf(claim, evidence)).toBe(says)
	})
})
