internal import Foundation

/// The file of a Unix socket that clients reach the daemon by.
struct SocketFile {
    let path: String

    /// The file's mode: whoever may write may connect, the owner and the folder's group, which the proxy belongs to.
    private static let mode: mode_t = 0o660
    /// The longest path that the system has room for, without the final zero. Unit: bytes.
    static let longestPath = 107

    /// Returns a socket that listens here for a moment. A file that an earlier daemon left behind is deleted.
    ///
    /// - Parameter refused: makes an error of the reason why nothing can listen here.
    func listener<Refusal: Error>(_ refused: (String) -> Refusal) throws(Refusal) -> Int32 {
        func failed() -> Refusal { refused(String(cString: strerror(errno))) }
        func open() throws(Refusal) -> Int32 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw failed() }
            return descriptor
        }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw refused("a file that is no socket lies there; move it away")
            }
            let probe = try open()
            defer { close(probe) }
            if call(probe, connect) { throw refused("something listens there already") }
            guard errno == ECONNREFUSED else { throw failed() }
            unlink(path)
        }
        let listener = try open()
        guard call(listener, bind), listen(listener, 1) == 0 else {
            let refusal = failed()
            close(listener)
            throw refusal
        }
        return listener
    }

    func admitGroup() { chmod(path, Self.mode) }

    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    }

    private func call(_ descriptor: Int32, _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.longestPath)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
