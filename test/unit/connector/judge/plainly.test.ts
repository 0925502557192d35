// What arithmetic and grammar say of one short text; and that they say nothing of what only looks alike.
import { describe, expect, test } from 'vitest'
import { plainlySays } from '../../../../connector/judge/rules/plainly.ts'
import { scheduleSays } from '../../../../connector/judge/rules/schedule.ts'

const CASES: [kind: string, claim: string, evidence: string, says: -1 | 0 | 1][] = [
	['settings', 'The upload limit is 20 MB.', 'MAX_UPLOAD_MB = 20', 1],
	['settings', 'A request is tried four times.', 'retries: 3\nrequestAttempts: 4', 1],
	['settings', 'The log is on.', 'log: off\nport: 80', -1],
	['settings', 'Caching is enabled.', 'disable_caching = true', -1],
	['settings', 'Uploads expire after two hours.', 'upload_expiry_seconds: 7200', 1],
	['settings', 'The shop expires in two hours.', 'Anna: 2\nBen: 3', 0],
	['counts', 'All lamps passed.', '9 lamps: 8 passed, 1 failed', -1],
	['counts', 'The lamps passed.', '9 lamps, 8 passed, 1 failed.', -1],
	['counts', 'Two of the lamps failed.', '9 lamps: 8 passed, 1 failed', -1],
	['counts', 'Some lamps failed.', '9 lamps: 8 passed, 1 failed', 1],
	['counts', 'Most members voted.', 'Of 40 members, 31 voted.', 1],
	['counts', 'Every guest paid.', '12 of the 14 guests paid.', -1],
	['counts', 'Most of the bills are paid.', 'Every one of the 9 bills is paid.', 0],
	['spans', 'The ferry takes two hours.', 'Departs 09:30, arrives 11:30', 1],
	['spans', 'The lease runs for a year.', 'Lease from 1 March 2025 to 31 August 2025', -1],
	['spans', 'The lease runs for six months.', 'Lease from 1 March 2025 to 31 August 2025', 1],
	['put-off days', 'The concert is on Friday.', 'The concert was moved from Friday to Sunday.', -1],
	['put-off days', 'The concert is on Sunday.', 'The concert was moved from Friday to Sunday.', 1],
	['rates', 'The pump is checked every month.', 'We check the pump twice a year.', -1],
	['rates', 'The pump is checked monthly.', 'The pump is checked once a month.', 1],
	['rates', 'The Daily Post is big.', 'The Daily Post has a weekly supplement.', 0],
	['trends', 'Fares fell.', 'A ride costs 40 cents less than last year.', 1],
	['trends', 'Fares fell.', 'A ride is more expensive than a year ago.', -1],
	['seasons', 'The fair is in autumn.', 'The fair opens on 4 October.', 1],
	['seasons', 'The fair opens in autumn and costs nothing.', 'The fair opens on 4 October.', 0],
	['seasons', 'The fair is in spring.', 'The fair opens on 4 October.', -1],
	['seasons', 'The fair ended in October of 1990.', 'The fair ended on 4 October 1987.', 0],
	['results', 'Rovers lost.', 'Rovers 0 - 2 Albion', 1],
	['results', 'The visitors won.', 'Home 1 - Away 0', -1],
	['results', 'The meeting won praise.', 'Monday 10:30 Meeting', 0],
	['exchanges', 'Ines bought the van from Omar.', 'Omar sold the van to Ines.', 1],
	['exchanges', 'Omar bought the van from Ines.', 'Omar sold the van to Ines.', -1],
	['exchanges', 'Ben is shorter than Ada.', 'Ada is taller than Ben.', 1],
	['exchanges', 'Ada owes Ben.', 'Ben owes Ada.', 0],
	['states', 'The parcel is here.', 'The parcel is on its way.', -1],
	['states', 'The parcel has not arrived.', 'Your parcel is on its way.', 1],
	['states', 'The kettle is available.', 'Out of stock', -1],
	['states', 'The blue kettle is available.', 'The red kettle is sold out.', 0],
	['states', 'The kettle is available.', 'The kettle was sold out and is available again.', 0],
	['states', 'The train is late.', 'The train is not on time.', 0],
	['states', 'The drill works.', 'The drill is out of order.', -1],
	['states', 'Die Rechnung ist bezahlt.', 'Die Rechnung ist noch offen.', -1],
	['states', 'Le colis est arrivé.', 'Le colis est en route.', -1],
	['states', 'The job is finished.', 'The job is almost finished.', -1],
	['states', 'The job is finished.', 'The job was finished almost a year ago.', 0],
	['states', 'The job is almost finished.', 'The job is almost finished.', 0],
	['states', 'La lampe est en panne.', 'La lampe fonctionne.', -1],
	['states', 'La lampe est en panne.', 'La lampe ne fonctionne plus.', 1],
	['states', 'La lampe fonctionne.', 'La lampe ne fonctionne plus.', -1],
	['states', 'La lampe ne fonctionne plus.', 'La lampe est en panne.', 1],
	['states', 'Билет оплачен.', 'Билет не оплачен.', -1],
	['states', 'The bill is paid.', 'The tenant wishes that the bill was settled.', 0],
	['states', 'All bills are paid.', 'The bills are settled.', 0],
	['sums', 'The total is 119 euros.', 'Net 100.00 EUR, VAT 19.00 EUR', 1],
	['sums', 'The total is 120 euros.', 'Net 100.00 EUR, VAT 19.00 EUR', -1],
	['sums', 'The total is 30 euros.', 'Lamp 10 euros, bulb 4 euros, box 2 euros', 0],
	['sums', 'The discount is ten euros.', 'Was 50.00, now 40.00', 1],
	['sums', 'The price was halved.', 'Was 50.00, now 40.00', -1],
	['sums', 'The price doubled.', 'from 2 to 4 euros', 1],
	['replies', 'Ruth agrees.', 'Sam: lunch at one? Ruth: sounds good!', 1],
	['replies', 'Ruth will come.', "Sam: are you coming? Ruth: sorry, I can't", -1],
	['replies', 'Ruth agrees.', 'Sam: lunch at one? Ruth: what is on the menu?', 0],
]

describe('what is said plainly', () => {
	// Proves: judge.plain-rules
	test.each(CASES)('of %s: %s ← %s', (_, claim, evidence, says) => {
		expect(plainlySays(claim, evidence)).toBe(says)
	})

	// Proves: judge.plain-rules
	test.each([
		['asked', 'Was the concert moved from Friday to Sunday?'],
		['supposed', 'If the concert was moved from Friday to Sunday, we could go.'],
		['rumoured', 'Allegedly the concert was moved from Friday to Sunday.'],
	])('is nothing where it is only %s', (_, evidence) => {
		expect(plainlySays('The concert is on Sunday.', evidence)).toBe(0)
	})
})

// Proves: judge.plain-rules
test.each([
	['The shop is open on Sundays.', 'Open daily.', 1],
	['The shop is open on Sundays.', 'Open Monday to Saturday.', -1],
	['The shop is closed on Sundays.', 'Open Monday to Saturday.', 1],
	['Der Laden hat sonntags geöffnet.', 'Täglich geöffnet.', 1],
	['The pool is open on Tuesdays.', 'The pool is open every day except Monday.', 1],
	['The pool is open on Mondays.', 'The pool is open every day except Monday.', -1],
	['The shop is open on Sundays.', 'Open the box on Monday and see what you will get for it.', 0],
] as const)('days without hours are opening days: %s ← %s', (claim, evidence, says) => {
	expect(scheduleSays(claim, evidence)).toBe(says)
})
