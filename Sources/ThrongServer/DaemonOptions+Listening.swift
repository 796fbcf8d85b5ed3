internal import Foundation

extension DaemonOptions {
    /// Makes sure that somebody could listen at all addresses now, by doing so for a moment: better said before a data
    /// directory or a PostgreSQL is made than after.
    ///
    /// - Throws: ``DaemonError/unusableAddress(address:purpose:option:reason:)``.
    func checkAddresses() throws(DaemonError) {
        var listeners: [Int32] = []
        // Together, so that two of them can't be the same.
        defer { listeners.forEach { close($0) } }
        listeners.append(try listen.listener(purpose: "where clients post", option: "--listen"))
        listeners.append(try metrics.listener(purpose: "where Prometheus reads", option: "--metrics"))
        guard let portal else { return }
        listeners.append(
            try portal.listener(purpose: "where partners, analysts and operators look", option: "--portal"))
    }
}

extension DaemonOptions.Endpoint {
    /// A socket that listens here.
    ///
    /// - Parameters:
    ///   - purpose: who comes here, for the message.
    ///   - option: what names another address.
    fileprivate func listener(purpose: String, option: String) throws(DaemonError) -> Int32 {
        func refused(_ reason: String) -> DaemonError {
            .unusableAddress(address: description, purpose: purpose, option: option, reason: reason)
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &found)
        guard failure == 0, let first = found?.pointee else { throw refused(String(cString: gai_strerror(failure))) }
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
