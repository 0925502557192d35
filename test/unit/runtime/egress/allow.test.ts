import { describe, expect, test } from 'vitest'
import { parseAddress } from '../../../../runtime/egress/address.ts'
import { parseEgressAllow } from '../../../../runtime/egress/index.ts'

function permits(entries: string[], host: string, port: number, address: string): boolean {
	const parsed = parseAddress(address)
	return parsed !== null && parseEgressAllow(entries).permits(host, port, parsed)
}

describe('EGRESS_ALLOW', () => {
	// Proves: egress.bad-allow-entry
	test.each([
		['', 'empty'],
		['http://llm.internal', 'a URL'],
		['llm.internal/v1', 'a path'],
		['*.internal', 'a wildcard'],
		['llm.internal:0', 'port 0'],
		['llm.internal:65536', 'a port that does not exist'],
		['llm.internal:http', 'a port that is no number'],
		['llm.internal.', 'a trailing dot'],
		['-a.internal', 'a label that begins with a hyphen'],
		['10.0.0.1/8', 'a CIDR with host bits'],
		['10.0.0.0/33', 'a CIDR too long'],
		['10.0.0/8', 'a CIDR cut short'],
		['::ffff:10.0.0.0/104', 'a network of mapped addresses'],
		['2130706433', 'a decimal address'],
		['0x7f.1', 'a hexadecimal address'],
		['127.1', 'a short address'],
		['010.0.0.1', 'an octal address'],
		['[::1', 'an open bracket'],
		['fe80::1%eth0', 'a zone'],
		['user@llm.internal', 'user information'],
	])('refuses %j: %s', (entry) => {
		expect(() => parseEgressAllow([entry])).toThrow(JSON.stringify(entry))
	})

	// Proves: egress.allowed-port
	test.each([
		['127.0.0.1:9000', 'localhost', 9000, '127.0.0.1', true],
		['127.0.0.1:9000', 'localhost', 9001, '127.0.0.1', false],
		['127.0.0.1', 'anything', 1, '::ffff:127.0.0.1', true],
		['[::1]:9000', '[::1]', 9000, '::1', true],
		['[::1]:9000', '[::1]', 80, '::1', false],
		['::1', '[::1]', 80, '0:0:0:0:0:0:0:1', true],
		['10.0.0.0/8', 'db.internal', 443, '10.200.3.4', true],
		['10.0.0.0/8', 'db.internal', 443, '11.0.0.1', true],
		['10.0.0.0/8', 'db.internal', 443, '172.16.0.1', false],
		['fd00::/8', 'db.internal', 443, 'fd12::1', true],
		['LLM.internal:8080', 'llm.internal', 8080, '10.1.2.3', true],
		['llm.internal:8080', 'llm.internal', 8081, '10.1.2.3', false],
		['llm.internal', 'other.internal', 8080, '10.1.2.3', false],
		['llm.internal', 'llm.internal', 80, '169.254.169.254', false],
		['llm.internal', 'llm.internal', 80, 'fe80::1', false],
		['169.254.169.254/32', 'metadata', 80, '169.254.169.254', true],
	])('%s: %s:%i at %s is permitted: %s', (entry, host, port, address, expected) => {
		expect(permits([entry], host, port, address)).toBe(expected)
	})
})

describe('an address', () => {
	// Proves: egress.not-public-refused
	test.each([
		['8.8.8.8', true],
		['2606:4700::1111', true],
		['64:ff9b::8.8.8.8', true],
		['0.0.0.0', false],
		['10.0.0.1', false],
		['100.64.0.1', false],
		['127.255.255.254', false],
		['169.254.169.254', false],
		['172.31.255.255', false],
		['192.0.0.192', false],
		['192.0.2.1', false],
		['192.168.1.1', false],
		['198.18.0.1', false],
		['224.0.0.1', false],
		['240.0.0.1', false],
		['255.255.255.255', false],
		['::', false],
		['::1', false],
		['::127.0.0.1', false],
		['::ffff:10.0.0.1', false],
		['::ffff:0:7f00:1', false],
		['64:ff9b::10.0.0.1', false],
		['64:ff9b::a9fe:a9fe', false],
		['64:ff9b:1::7f00:1', false],
		['100::1', false],
		['2001:0:4136:e378:8000:63bf:3fff:fdd2', false],
		['2001:db8::1', false],
		['2002:7f00:1::', false],
		['2002:808:808::1', false],
		['2606:4700::5efe:10.0.0.1', false],
		['2606:4700::200:5efe:7f00:1', false],
		['3fff::1', false],
		['4000::1', false],
		['fc00::1', false],
		['fe80::1', false],
		['fec0::1', false],
		['ff02::1', false],
	])('%s is public: %s', (address, expected) => {
		expect(permits([], 'host', 443, address)).toBe(expected)
	})

	test.each(['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '1.2.3.4.', 'fe80::1%eth0', '[::1]', ''])(
		'%j is none',
		(text) => {
			expect(parseAddress(text)).toBeNull()
		},
	)
})
