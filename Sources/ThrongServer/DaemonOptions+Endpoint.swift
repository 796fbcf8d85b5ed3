internal import Foundation
internal import HummingbirdCore
internal import Logging

extension DaemonOptions {
    /// An address to listen at: a host and a port, or the file of a Unix socket.
    package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        private enum Place: Hashable {
            case network(host: String, port: Int)
            case socket(path: String)
        }

        private let place: Place

        /// Creates an address of a host, by name or address, and a port; port 0 takes any free one.
        package init(host: String, port: Int) { self.init(.network(host: host, port: port)) }

        private init(_ place: Place) { self.place = place }

        /// Reads "127.0.0.1:8080", "[::1]:8080", ":8080" or "unix:/run/throng/clients"; nil for anything else, and for
        /// a path that is relative or has more than 107 bytes.
        package init?(_ text: String) {
            if text.hasPrefix("unix:") {
                let path = String(text.dropFirst(5))
                guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= SocketFile.longestPath else {
                    return nil
                }
                self.init(.socket(path: path))
                return
            }
            guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
                (0...65_535).contains(port)
            else { return nil }
            var host = String(text[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            guard !host.contains("[") else { return nil }
            self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
        }

        /// The host; nil for a Unix socket.
        var host: String? { if case .network(let host, _) = place { host } else { nil } }

        package var isLoopback: Bool {
            guard case .network(let host, _) = place else { return true }
            let isNumber = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
            return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumber
        }

        /// "127.0.0.1:8080" or "unix:/run/throng/clients".
        package var description: String {
            switch place {
            case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): "unix:\(path)"
            }
        }

        /// The file of the socket; nil for a host and a port.
        var file: SocketFile? {
            guard case .socket(let path) = place else { return nil }
            return SocketFile(path: path)
        }

        var address: BindAddress {
            switch place {
            case .network(let host, let port): .hostname(host, port: port)
            case .socket(let path): .unixDomainSocket(path: path)
            }
        }

        /// Returns the address as facts for the log; `bound` is the port that a server got.
        func facts(bound: Int?) -> Logger.Metadata {
            switch place {
            case .network(let host, let port): ["host": "\(host)", "port": "\(bound ?? port)"]
            case .socket(let path): ["socket": "\(path)"]
            }
        }

        /// Returns the address as people of this machine open it.
        func url(bound: Int?, isSecure: Bool) -> String {
            guard case .network(let host, let port) = place else { return description }
            let name = ["0.0.0.0", "::"].contains(host) ? "localhost" : host
            return "\(isSecure ? "https" : "http")://\(Self(host: name, port: bound ?? port))"
        }

        /// Returns a socket that listens here; a failure names the use of the address, and the option for another one.
        func listener(purpose: String, option: String) throws(DaemonError) -> Int32 {
            func refused(_ reason: String) -> DaemonError {
                .unusableAddress(address: description, purpose: purpose, option: option, reason: reason)
            }
            switch place {
            case .network(let host, let port):
                return try Self.listener(host: host, port: port, refused)
            case .socket(let path):
                return try SocketFile(path: path).listener(refused)
            }
        }

        private static func listener(
            host: String, port: Int, _ refused: (String) -> DaemonError
        ) throws(DaemonError) -> Int32 {
            var hints = addrinfo()
            hints.ai_flags = AI_PASSIVE
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            let failure = getaddrinfo(host, String(port), &hints, &found)
            guard failure == 0, let first = found?.pointee else {
                throw refused(String(cString: gai_strerror(failure)))
            }
            defer { freeaddrinfo(found) }
            let listener = socket(first.ai_family, first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), first.ai_protocol)
            guard listener >= 0 else { throw refused(String(cString: strerror(errno))) }
            // Connections of an earlier daemon that are not quite over are no obstacle.
            var yes: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard bind(listener, first.ai_addr, first.ai_addrlen) == 0, Foundation.listen(listener, 1) == 0 else {
                let reason = errno == EADDRINUSE ? "something listens there already" : String(cString: strerror(errno))
                close(listener)
                throw refused(reason)
            }
            return listener
        }
    }
}
