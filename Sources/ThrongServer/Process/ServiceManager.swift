internal import Foundation

/// The service manager that started this process. It is told the process's state by datagrams to the Unix socket that
/// `NOTIFY_SOCKET` names, as systemd's sd_notify(3) has it.
///
/// Without a service manager nothing is sent, and a datagram that can't be sent holds nothing up.
package struct ServiceManager: Sendable {
    /// The socket's path, or a zero and an abstract name.
    private let address: [UInt8]

    package enum State: Sendable, Hashable {
        /// Clients get answers. The text is for people.
        case ready(String)
        /// It stops in order and goes on by other plans.
        case reloading
        case stopping
    }

    /// Nil if no service manager listens, or its socket's name is not valid.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
            (2...SocketFile.longestPath).contains(name.utf8.count)
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    }

    package func say(_ state: State) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        // An abstract name is as long as it is said to be; a path ends with a zero.
        let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
        let text = Array(Self.text(of: state).utf8)
        withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), target, socklen_t(length))
            }
        }
    }

    private static func text(of state: State) -> String {
        switch state {
        case .ready(let words): return "READY=1\nSTATUS=\(words)\n"
        case .stopping: return "STOPPING=1\nSTATUS=stops in order\n"
        case .reloading:
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000
            return "RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=starts anew by other plans\n"
        }
    }
}
