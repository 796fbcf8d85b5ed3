import Foundation
import ThrongServer
import ThrongSystem

/// One request that came through the operator's proxy, and what it says of clients. Addresses of clients are never shown.
struct ProxyVisit {
    /// The time for which it is waited. Unit: milliseconds.
    private static let patience: Int32 = 60_000
    /// The most that is read of it. Unit: bytes.
    private static let longest = 16 << 10

    let head: [UInt8]
    /// The other end of the connection: the proxy; nil by a Unix socket.
    let peer: String?

    /// Waits where clients post for one request.
    ///
    /// - Throws: `DaemonError` where the address is in use; `CommandFailure` where nobody came.
    static func awaited(at settings: Settings) throws -> DoctorFinding {
        let address = settings.value(of: .listen)?.text ?? Setting.listen.standard
        guard let endpoint = DaemonOptions.Endpoint(address), endpoint.host != nil else {
            throw CommandFailure("--proxy waits at a host and a port; have your proxy connect to one for this.")
        }
        let listener = try endpoint.listener(purpose: "where clients post", option: "--listen")
        defer { close(listener) }
        Terminal.talk("Waiting a minute at \(address): ask for a page through your proxy now.")
        guard let visit = Self.visit(at: listener) else {
            throw CommandFailure("Nobody came to \(address) within a minute; see where your proxy connects to.")
        }
        return visit.finding(settings)
    }

    private static func visit(at listener: Int32) -> ProxyVisit? {
        guard isReady(listener) else { return nil }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let connection = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(listener, $0, &length) }
        }
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var name = [CChar](repeating: 0, count: 64)
        let known = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo($0, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            }
        }
        let peer = known == 0 ? name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < longest, isReady(connection) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            head += buffer[..<count]
            if String(decoding: head, as: UTF8.self).contains("\r\n\r\n") { break }
        }
        let answer = Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = write(connection, answer, answer.count)
        return ProxyVisit(head: head, peer: peer)
    }

    private static func isReady(_ socket: Int32) -> Bool {
        var asked = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&asked, 1, patience) > 0
    }

    // MARK: What it says

    /// Judges what came by what is set.
    func finding(_ settings: Settings) -> DoctorFinding {
        let from = peer.map { "a request came from \($0)" } ?? "a request came"
        let proxies = settings.value(of: .proxies)?.text
        let forwarders = settings.value(of: .forwarders)?.text
        let example = peer ?? "unix"
        if head.starts(with: Array("\r\n\r\n\0\r\nQUIT\n".utf8)) {
            guard proxies == nil else {
                return DoctorFinding(
                    "proxy", .good, "\(from), with a PROXY header of version 2; intake.proxies is \(proxies ?? "")")
            }
            return DoctorFinding(
                "proxy", .wrong, "\(from), with a PROXY header of version 2, and intake.proxies is not set",
                "set intake.proxies: \"\(example)\"")
        }
        if head.starts(with: Array("PROXY ".utf8)) {
            return DoctorFinding(
                "proxy", .wrong, "\(from), with a PROXY header of version 1, which is not read",
                "set version 2 there (haproxy: send-proxy-v2), and intake.proxies here")
        }
        let headers = forwarding
        guard !headers.isEmpty else {
            return DoctorFinding(
                "proxy", forwarders == nil && proxies == nil ? .look : .wrong,
                "\(from), and says nothing of its client: all clients count as one network",
                "have the proxy set X-Forwarded-For, and set intake.forwarders: \"\(example)\"")
        }
        let said = headers.map { "\($0.name): \($0.hops.joined(separator: ", "))" }.joined(separator: "; ")
        if Set(headers.map(\.name)).isSuperset(of: ["x-forwarded-for", "forwarded"]) {
            return DoctorFinding(
                "proxy", .look, "\(from), with two headers (\(said)); where they differ, neither is believed",
                "have the proxy set one and remove the other")
        }
        if headers.flatMap(\.hops).contains(where: { ["unknown", "no address"].contains($0) }) {
            return DoctorFinding("proxy", .wrong, "\(from), with \(said)", "have the proxy write the client's address")
        }
        guard let forwarders else {
            return DoctorFinding(
                "proxy", .wrong, "\(from), with \(said), and intake.forwarders is not set: nobody is believed",
                "set intake.forwarders: \"\(example)\"")
        }
        return DoctorFinding("proxy", .good, "\(from), with \(said); intake.forwarders is \(forwarders)")
    }

    /// The headers that name clients, each with the shapes of its hosts in their order.
    private var forwarding: [(name: String, hops: [String])] {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n").dropFirst()
        return lines.compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let name = parts[0].lowercased()
            guard ["x-forwarded-for", "forwarded"].contains(name) else { return nil }
            return (name, parts[1].split(separator: ",").map { Self.shape($0.trimmingCharacters(in: .whitespaces)) })
        }
    }

    /// The shape of a host: an address, one with a port, `unknown`, or none.
    private static func shape(_ hop: String) -> String {
        var text = hop
        if let start = text.range(of: "for=", options: .caseInsensitive) {
            text = String(text[start.upperBound...].prefix { $0 != ";" })
        }
        text = text.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        if text.lowercased() == "unknown" || text.hasPrefix("_") { return "unknown" }
        func isAddress(_ text: some StringProtocol) -> Bool {
            var four = in_addr()
            var six = in6_addr()
            return inet_pton(AF_INET, String(text), &four) == 1 || inet_pton(AF_INET6, String(text), &six) == 1
        }
        if isAddress(text) || isAddress(text.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))) {
            return "an address"
        }
        guard let colon = text.lastIndex(of: ":"),
            isAddress(text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]")))
        else { return "no address" }
        return "an address with a port"
    }
}
