internal import Crypto
internal import Foundation
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
        } catch {
            throw .noAnswer(reason: error.description)
        }
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
            (name: "Content-Type", value: file.mediaType),
            (name: "Content-Digest", value: "sha-256=:\(digest):"),
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
