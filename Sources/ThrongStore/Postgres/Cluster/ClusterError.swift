/// The reason why the private PostgreSQL can't run.
package enum ClusterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No PostgreSQL server is installed, or none of the version that wrote the data. Unit: major version.
    case binariesMissing(version: Int?)
    /// The socket's path does not fit what Unix sockets allow. Unit: bytes.
    case socketPathTooLong(path: String, bytes: Int, limit: Int)
    case userMissing(name: String)
    case notTraversable(directory: String, user: String)
    case foreign(directory: String, found: String, user: String)
    case rightsKept(user: String)
    case commandFailed(program: String, status: Int, output: String)
    case notACluster(directory: String)

    package var description: String {
        switch self {
        case .binariesMissing(let version):
            """
            no PostgreSQL server\(version.map { " of version \($0)" } ?? "") was found in /usr/lib/postgresql or on the \
            PATH; install it (apt-get install postgresql\(version.map { "-\($0)" } ?? "")) or name a database with \
            --database
            """
        case .socketPathTooLong(let path, let bytes, let limit):
            """
            the socket \(path) has a path of \(bytes) bytes, \(limit) are allowed; choose a data directory with a \
            shorter path
            """
        case .userMissing(let name):
            """
            PostgreSQL refuses to run as root and there is no user \(name); install PostgreSQL's package, which makes \
            one, or start throng as another user
            """
        case .notTraversable(let directory, let user):
            """
            user \(user) can't enter \(directory), which is on the way to the data directory; allow it \
            (chmod o+x \(directory)) or choose another data directory
            """
        case .foreign(let directory, let found, let user):
            """
            \(directory) is to hold PostgreSQL and is \(found); it has to be a directory of \(user). Look who put it there, \
            move it away, or choose another data directory
            """
        case .rightsKept(let user):
            """
            this process runs as root and may not act as \(user) (it lacks CAP_SETUID or CAP_SETGID), so it touches nothing \
            in that user's directory; start throng as an ordinary user, or name a database with --database
            """
        case .commandFailed(let program, let status, let output):
            "\(program) ended with status \(status): \(output.isEmpty ? "no output" : output)"
        case .notACluster(let directory):
            "\(directory) holds files but no PostgreSQL cluster; move them away or choose another data directory"
        }
    }
}
