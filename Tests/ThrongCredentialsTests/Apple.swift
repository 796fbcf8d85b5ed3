import Crypto
import Foundation
import Synchronization
import ThrongAttestation
import ThrongCredentials
import ThrongWire

/// Apple's DeviceCheck as its documentation has it, on this machine: two bits a device, and the month of their last change.
final class Apple: Sendable {
    enum Mood: Sendable, CaseIterable {
        case well, broken, garbled, other
    }

    struct Memory: Sendable {
        var bits: [String: (value: Int, month: String)] = [:]
        var questions: [String] = []
        var mood = Mood.well
        var month = "2026-11"
        /// While it thinks others may ask.
        var pause: UInt32 = 0
    }

    let port: UInt16
    let signing = P256.Signing.PrivateKey()
    let memory = Mutex(Memory())
    private let listener: Int32

    var address: String { "http://127.0.0.1:\(port)" }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            if let (head, body, rest) = Self.request(bytes) {
                bytes = rest
                let (status, text) = answer(head, body)
                let answer = "HTTP/1.1 \(status) X\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                _ = send(client, Array(answer.utf8), answer.utf8.count, Int32(MSG_NOSIGNAL))
            } else {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                bytes += buffer.prefix(count)
            }
        }
    }

    /// The first request of what came; nil where it is not whole.
    private static func request(_ bytes: [UInt8]) -> (head: String, body: [UInt8], rest: [UInt8])? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        let length = head.lowercased().firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
        let start = head.utf8.count + 4
        guard bytes.count >= start + length else { return nil }
        return (head, Array(bytes[start..<start + length]), Array(bytes[(start + length)...]))
    }

    private struct Question: Decodable {
        let device_token: String
        let transaction_id: String
        let timestamp: Int64
        let bit0: Bool?
        let bit1: Bool?
    }

    private func answer(_ head: String, _ body: [UInt8]) -> (Int, String) {
        let (mood, pause) = memory.withLock { ($0.mood, $0.pause) }
        usleep(pause)
        switch mood {
        case .broken: return (500, "")
        case .garbled: return (200, "<html>")
        case .other: return (401, "Unable to verify authorization token")
        case .well: break
        }
        guard isSigned(head) else { return (401, "Unable to verify authorization token") }
        guard let asked = try? JSONDecoder().decode(Question.self, from: Data(body)),
            let token = Data(base64Encoded: asked.device_token)
        else { return (400, "Missing or badly formatted device token payload") }
        // Tokens of a device differ: its name comes first.
        let name = String(decoding: token, as: UTF8.self).split(separator: "#").first.map(String.init) ?? ""
        guard name != "nobody" else { return (400, "Bad Device Token") }
        return memory.withLock { memory in
            memory.questions.append(head.split(separator: " ")[1] + " " + name)
            if head.hasPrefix("POST /v1/update_two_bits ") {
                guard let bit0 = asked.bit0, let bit1 = asked.bit1 else { return (400, "Missing bits") }
                memory.bits[name] = ((bit0 ? 1 : 0) + (bit1 ? 2 : 0), memory.month)
                return (200, "")
            }
            guard head.hasPrefix("POST /v1/query_two_bits ") else { return (404, "") }
            guard let (value, month) = memory.bits[name] else { return (200, "Failed to find bit state") }
            return (
                200, "{\"bit0\":\(value & 1 == 1),\"bit1\":\(value & 2 == 2),\"last_update_time\":\"\(month)\"}"
            )
        }
    }

    /// By the team and the key, as RFC 7519 has it.
    private func isSigned(_ head: String) -> Bool {
        guard let token = head.firstMatch(of: /(?i)authorization: Bearer ([A-Za-z0-9_.-]+)/)?.1 else { return false }
        let parts = token.split(separator: ".")
        guard parts.count == 3, let header = AnyBase64.bytes(String(parts[0])),
            let payload = AnyBase64.bytes(String(parts[1])), let signature = AnyBase64.bytes(String(parts[2])),
            let read = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        let said = (try? JSONSerialization.jsonObject(with: Data(header)) as? [String: Any]) ?? [:]
        let claims = (try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]) ?? [:]
        return said["alg"] as? String == "ES256" && said["kid"] as? String == "KEY1234567"
            && claims["iss"] as? String == "TEAM123456" && claims["iat"] as? Int != nil
            && signing.publicKey.isValidSignature(read, for: Array("\(parts[0]).\(parts[1])".utf8))
    }
}
