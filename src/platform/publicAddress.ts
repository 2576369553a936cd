import { isIPv4, isIPv6 } from 'node:net';

/**
 * Ranges that no page of the open internet has (IANA special-purpose address registries): this machine, the local
 * network, the metadata services of clouds, documentation, multicast.
 */
const specialIPv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Inside of 2000::/3, the only part of IPv6 that is given out: tunnels that carry an IPv4 address, documentation, experiments. */
const specialIPv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Prefixes of addresses that stand for the IPv4 address at their end: mapped, and translated by a network (NAT64). */
const carriesIPv4 = [bitsOf6('::ffff:0:0').slice(0, 96), bitsOf6('64:ff9b::').slice(0, 96)];

/** Whether an IP address belongs to the open internet. False for anything that is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicIPv4(bitsOf4(address));
  if (!isIPv6(address) || address.includes('%')) return false;
  const bits = bitsOf6(address);
  if (carriesIPv4.some((prefix) => bits.startsWith(prefix))) return isPublicIPv4(bits.slice(96));
  return bits.startsWith('001') && !specialIPv6.some(([network, prefix]) => bits.startsWith(bitsOf6(network).slice(0, prefix)));
}

function isPublicIPv4(bits: string): boolean {
  return !specialIPv4.some(([network, prefix]) => bits.startsWith(bitsOf4(network).slice(0, prefix)));
}

/** 32 digits. */
function bitsOf4(address: string): string {
  return address.split('.').map((part) => Number(part).toString(2).padStart(8, '0')).join('');
}

/** 128 digits. */
function bitsOf6(address: string): string {
  const [head = '', tail] = address.split('::');
  const start = groupsOf(head);
  const end = tail === undefined ? [] : groupsOf(tail);
  return [...start, ...Array<string>(8 - start.length - end.length).fill('0'.repeat(16)), ...end].join('');
}

/** Groups of 16 digits; an IPv4 address at the end is two of them. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16).toString(2).padStart(16, '0')];
    const bits = bitsOf4(group);
    return [bits.slice(0, 16), bits.slice(16)];
  });
}
