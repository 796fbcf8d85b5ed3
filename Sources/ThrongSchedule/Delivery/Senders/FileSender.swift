internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import ThrongPlan
package import ThrongReport
internal import ThrongSystem
internal import ThrongWire

/// Sends one file to a partner over HTTPS.
///
/// The name is resolved once, the address is checked, and the connection goes to that address: a name that answers
/// otherwise the next time leads nowhere else. Redirects are not followed; TLS 1.2 or later, the certificate is
/// checked.
package struct FileSender: Sendable {
    package let options: DeliveryOptions
    package var lookup = HostLookup(limit: .seconds(DeliveryOptions.lookupSeconds))

    /// Sends a file, with a key of 32 bytes that is the same for every try; returns the status, which is 2xx.
    package func send(_ file: ReportFile, to target: HTTPDelivery, key: [UInt8]) async throws(DeliveryFault) -> Int {
        guard options.hosts.contains(target.authority) else { throw .hostNotAllowed(target.authority) }
        let secret = try target.authorization.map { name throws(DeliveryFault) in try options.secret(name) }
        let address = try await self.address(of: target)
        var rules = ConnectionRules()
        rules.allowsPlain = false
        rules.pinned = (address, target.port)
        rules.authorities = options.authorities
        rules.isKept = false
        rules.connectLimit = .seconds(min(10, options.fileSeconds))
        let request = request(file, to: target, key: key, secret: secret)
        let status: Int
        do throws(HTTPFault) {
            // The rest of the partner's answer is cut off: its status is all that counts.
            status = try await HTTPConnection(rules).status(of: request, within: .seconds(options.fileSeconds))
        } catch { throw .noAnswer(reason: error.description) }
        if (300..<400).contains(status) { throw .redirected(status: status) }
        guard (200..<300).contains(status) else { throw .refused(status: status) }
        return status
    }

    private func request(
        _ file: ReportFile, to target: HTTPDelivery, key: [UInt8], secret: String?
    ) -> OutgoingRequest {
        // RFC 9530, and the draft of the header Idempotency-Key: a structured field's string.
        let digest = Data(SHA256.hash(data: file.contents)).base64EncodedString()
        var headers = [
            (name: "Content-Type", value: file.mediaType), (name: "Content-Digest", value: "sha-256=:\(digest):"),
            (name: "Idempotency-Key", value: "\"\(key.lowerHex)\""),
            (name: "Content-Disposition", value: "attachment; filename=\"\(file.name)\""),
            (name: "User-Agent", value: "throng"),
        ]
        if let secret { headers.append((name: "Authorization", value: secret)) }
        let url = target.method == .put ? target.url + file.name : target.url
        return OutgoingRequest(target.method == .put ? .put : .post, url, headers: headers, body: Array(file.contents))
    }

    package static func key(of file: ReportFile, within delivery: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: delivery + Array(file.name.utf8)))
    }

    private func address(of target: HTTPDelivery) async throws(DeliveryFault) -> String {
        let address: String
        switch await lookup.address(of: target.host, port: target.port) {
        case .found(let text): address = text
        case .unknown: throw .unresolved(host: target.host)
        case .late: throw .unresolvedInTime(host: target.host)
        }
        guard options.privateHosts.contains(target.authority) || PublicAddress.holds(address) else {
            throw .privateAddress(host: target.host, address: address)
        }
        return address
    }
}

/// Asks the system for the address of a host, for so long and no longer: it asks several servers several times, and a
/// delivery's lease ends meanwhile.
package struct HostLookup: Sendable {
    package enum Outcome: Sendable, Hashable {
        case found(String)
        case unknown
        case late
    }

    package let limit: Duration
    /// Blocks for as long as the system takes; nil where the name has no address.
    package var system: @Sendable (_ host: String, _ port: Int) -> String? = { host, port in
        do { return try SocketAddress.makeAddressResolvingHost(host, port: port).ipAddress } catch { return nil }
    }

    /// Looks on a thread of its own, which goes on by itself where it is late.
    package func address(of host: String, port: Int) async -> Outcome {
        await withCheckedContinuation { continuation in
            let first = First(continuation)
            let late = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
                first.say(.late)
            }
            Thread.detachNewThread { [system] in
                first.say(system(host, port).map { .found($0) } ?? .unknown)
                late.cancel()
            }
        }
    }

    /// A race for the answer: the first outcome wins.
    private final class First: Sendable {
        private let waiting: Mutex<CheckedContinuation<Outcome, Never>?>

        init(_ continuation: CheckedContinuation<Outcome, Never>) { waiting = Mutex(continuation) }

        func say(_ outcome: Outcome) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: outcome)
        }
    }
}

/// Tells addresses of the public internet from all others: a partner's name must not lead to a machine inside.
///
/// Source: IANA's special-purpose address registries (RFC 6890 and its updates).
package enum PublicAddress {
    /// Ranges of IPv4 that are not public: the address's first bits.
    private static let special4: [(network: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// Ranges within 2000::/3 that are not public, or that lead on to an IPv4 address.
    private static let special6: [(network: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    /// True if a text is the address of a machine on the public internet.
    package static func holds(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            let bytes = withUnsafeBytes(of: &four) { Array($0) }
            return !special4.contains { starts(bytes, with: $0.network, bits: $0.bits) }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        return starts(bytes, with: [0x20], bits: 3)
            && !special6.contains { starts(bytes, with: $0.network, bits: $0.bits) }
    }

    private static func starts(_ bytes: [UInt8], with network: [UInt8], bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let wanted = bit / 8 < network.count ? network[bit / 8] : 0
            return (bytes[bit / 8] ^ wanted) & 0x80 >> UInt8(bit % 8) == 0
        }
    }
}
