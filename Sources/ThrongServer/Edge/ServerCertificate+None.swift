internal import NIOCore
internal import ThrongWire

/// A certificate in a build without TLS, such as the quickstart's: none can be used. Package.swift takes this file or the one
/// without `+None`.
struct ServerCertificate: Sendable {
    let end: UnixSeconds

    init(_ contents: TLSFiles.Contents, of files: TLSFiles, now: UnixSeconds) throws(TLSError) { throw .notBuilt }

    func context(asksClients: Bool) throws -> TLSContext { throw TLSError.notBuilt }

    static func isFailedHandshake(_ error: any Error) -> Bool { false }
}

struct TLSContext: Sendable {
    private init() {}

    var handler: any ChannelHandler { preconditionFailure("no certificate makes a context") }
}
