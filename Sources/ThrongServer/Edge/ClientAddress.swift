internal import Foundation
internal import NIOCore

/// Prints as its type's name, so that no log holds it.
protocol Unlogged: CustomStringConvertible, CustomReflectable {}

extension Unlogged {
    var description: String { "\(Self.self)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The address that a connection comes from, for limits by address. It is held only in the memory of its connection.
struct ClientAddress: Hashable, Sendable, Unlogged {
    /// The address's bytes: 4 of IPv4, 16 of IPv6; an IPv4 address that is written as one of IPv6 has 4.
    let bytes: [UInt8]

    /// Creates an address from its bytes; nil unless there are 4 or 16.
    init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.bytes = Array(bytes)
        case 16: self.bytes = bytes.starts(with: Self.mapped) ? Array(bytes.dropFirst(12)) : Array(bytes)
        default: return nil
        }
    }

    /// The prefix ::ffff:0:0/96. Source: RFC 4291, section 2.5.5.2.
    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads "192.0.2.1" or "2001:db8::1"; nil for anything else.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// Creates the address of a socket; nil for a Unix socket, and if the connection is over already.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let four):
            var address = four.address.sin_addr
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0) })
        case .v6(let six):
            var address = six.address.sin6_addr
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0) })
        case .unixDomainSocket, nil: return nil
        }
    }
}
