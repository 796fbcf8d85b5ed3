internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
package import ThrongPlan
package import ThrongReport
internal import ThrongWire

/// Sends one file to a partner over HTTPS.
///
/// The name is resolved once, the address is checked, and the connection goes to that address: a name that answers
/// otherwise the next time leads nowhere else. Redirects are not followed; TLS 1.2 or later, the certificate is checked.
package struct FileSender: Sendable {
    package let options: DeliveryOptions
    package var lookup = HostLookup(limit: .seconds(DeliveryOptions.lookupSeconds))

    /// Sends a file; returns the status, which is 2xx.
    ///
    /// - Parameter key: 32 bytes, the same for every try of this file.
    /// - Throws: ``DeliveryFault``.
    package func send(_ file: ReportFile, to target: HTTPDelivery, key: [UInt8]) async throws(DeliveryFault) -> Int {
        guard options.hosts.contains(target.authority) else { throw .hostNotAllowed(target.authority) }
        let secret = try target.authorization.map { name throws(DeliveryFault) in try self.secret(name) }
        let address = try await self.address(of: target)
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(min(10, options.fileSeconds))))
        configuration.tlsConfiguration = Self.tls(options)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        if address != target.host { configuration.dnsOverride = [target.host: address] }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let request = request(file, to: target, key: key, secret: secret)
        let outcome: Result<Int, DeliveryFault>
        do {
            let response = try await client.execute(request, timeout: .seconds(options.fileSeconds))
            outcome = .success(Int(response.status.code))
        } catch {
            outcome = .failure(.noAnswer(reason: String("\(error)".prefix(200))))
        }
        do {
            try await client.shutdown()
        } catch {
            // What the partner still wanted to say is cut off: its status is all that counts.
        }
        let status = try outcome.get()
        if (300..<400).contains(status) { throw .redirected(status: status) }
        guard (200..<300).contains(status) else { throw .refused(status: status) }
        return status
    }

    private func request(
        _ file: ReportFile, to target: HTTPDelivery, key: [UInt8], secret: String?
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: target.method == .put ? target.url + file.name : target.url)
        request.method = target.method == .put ? .PUT : .POST
        request.headers.add(name: "Content-Type", value: file.mediaType)
        // RFC 9530, and the draft of the header Idempotency-Key: a structured field's string.
        let digest = Data(SHA256.hash(data: file.contents)).base64EncodedString()
        request.headers.add(name: "Content-Digest", value: "sha-256=:\(digest):")
        request.headers.add(name: "Idempotency-Key", value: "\"\(key.lowerHex)\"")
        request.headers.add(name: "Content-Disposition", value: "attachment; filename=\"\(file.name)\"")
        request.headers.add(name: "User-Agent", value: "throng")
        if let secret { request.headers.add(name: "Authorization", value: secret) }
        request.body = .bytes(ByteBuffer(bytes: file.contents))
        return request
    }

    /// The key of one file of a delivery.
    package static func key(of file: ReportFile, within delivery: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: delivery + Array(file.name.utf8)))
    }

    private static func tls(_ options: DeliveryOptions) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = options.authorities { tls.additionalTrustRoots = [.file(path)] }
        return tls
    }

    /// The address that the connection goes to.
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

    /// The value of the header Authorization, from the operator's file.
    private func secret(_ name: String) throws(DeliveryFault) -> String {
        let path = options.secrets + "/" + name
        let mode: Int
        do {
            mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o777
        } catch {
            throw .secretMissing(path: path)
        }
        guard mode & 0o077 == 0 else { throw .secretExposed(path: path) }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .secretMissing(path: path) }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .secretMalformed(path: path)
        }
        return text
    }
}
