import Foundation
import Synchronization

/// A server on the loopback interface that answers each request with bytes that a test chose, well formed or not.
final class HostileServer: Sendable {
    /// What a server does once it has read a request's head; it returns where it wants to close.
    typealias Behaviour = @Sendable (_ head: String, _ client: Int32) -> Bool

    let port: Int
    private let listener: Int32
    private let seen = Mutex<(connections: Int, heads: [String])>((0, []))

    /// Connections that were taken, and the heads of the requests that came.
    var connections: Int { seen.withLock { $0.connections } }
    var heads: [String] { seen.withLock { $0.heads } }

    init(_ behaviour: @escaping Behaviour) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                seen.withLock { $0.connections += 1 }
                Thread.detachNewThread { [self] in serve(client, behaviour) }
            }
        }
    }

    /// Takes no more connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32, _ behaviour: Behaviour) {
        defer { close(client) }
        while let head = Self.head(client) {
            seen.withLock { $0.heads.append(head) }
            guard behaviour(head, client) else { return }
        }
    }

    /// One request's head, its body read and dropped; nil where the client is gone.
    private static func head(_ client: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(client, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let head = String(decoding: bytes, as: UTF8.self)
        let length =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        for _ in 0..<length { guard recv(client, &byte, 1, 0) == 1 else { return nil } }
        return head
    }

    /// Says nothing until the client has hung up, and then closes, too.
    static func outlast(_ client: Int32) -> Bool {
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) > 0 {}
        return false
    }

    /// Sends a text; false where the client is gone.
    @discardableResult
    static func say(_ text: String, to client: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
