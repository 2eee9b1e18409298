//! Addresses that the internet at large can't reach: what a request to them finds is meant for this machine or its network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address is one of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        // "This network", carrier-grade NAT, protocol assignments, relays of 6to4, benchmarks, reserved with broadcast.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240;
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded(address) {
        return is_public_v4(inner);
    }
    // Global unicast is 2000::/3. Parts of it are 2001::/23, protocol assignments with the tunnels of Teredo, and documentation.
    let [first, second, ..] = address.segments();
    let is_special = (first == 0x2001 && (second < 0x0200 || second == 0x0db8)) || (first == 0x3fff && second < 0x1000);
    (0x2000..0x4000).contains(&first) && !is_special
}

/// The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), or tunnelled (6to4).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some(v4(high, low))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        let public = [
            "1.1.1.1",
            "93.184.216.34",
            "172.32.0.1",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ];
        let private = [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "192.88.99.1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "3fff::1",
            "64:ff9b:1::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
        ];
        let found = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| is_public(text.parse().unwrap_or_else(|_| unreachable!("{text}"))))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&public), vec![true; public.len()]);
        assert_eq!(found(&private), vec![false; private.len()]);
    }
}
