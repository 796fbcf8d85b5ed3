import Foundation

/// A client's end of a connection on this machine, which sends bytes as they are. Its calls block.
final class RawClient: Sendable {
    private let socket: Int32

    init(port: Int) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            sent += count
        }
    }

    /// Says that no more will come.
    func finish() { shutdown(socket, Int32(SHUT_WR)) }

    /// Goes without a word: the next close resets the connection.
    func vanish() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        // Closes the connection, and keeps the descriptor for the end.
        _ = dup2(Self.nothing, socket)
    }

    private static let nothing = open("/dev/null", O_RDONLY)

    /// All that comes until the other side closes.
    func rest() -> [UInt8] {
        var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }
}
