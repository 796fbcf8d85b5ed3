internal import NIOCore
internal import NIOSSL
internal import ThrongWire

/// A certificate that is in force, its key, and the authorities for clients, all from one reading of the files.
struct ServerCertificate: Sendable {
    let end: UnixSeconds
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey
    private let clientAuthorities: [NIOSSLCertificate]?

    /// Suites of TLS 1.2 with forward secrecy and authenticated encryption. Those of TLS 1.3 all have both.
    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    private static let signatures: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
    ]

    init(_ contents: TLSFiles.Contents, of files: TLSFiles, now: UnixSeconds) throws(TLSError) {
        chain = try Self.certificates(contents.certificate, path: files.certificate)
        let leaf = chain[0]
        end = UnixSeconds(Int64(leaf.notValidAfter))
        let beginning = UnixSeconds(Int64(leaf.notValidBefore))
        if end <= now { throw .expired(path: files.certificate, at: end) }
        if beginning > now { throw .early(path: files.certificate, at: beginning) }
        switch Self.weakness(of: leaf) {
        case .key(let found): throw .weakKey(path: files.certificate, found: found)
        case .signature(let found): throw .weakSignature(path: files.certificate, found: found)
        case nil: break
        }
        do {
            // A passphrase is asked of nobody: there may be no terminal, and none must wait for one.
            key = try NIOSSLPrivateKey(bytes: contents.key, format: .pem) { (give: ([UInt8]) -> Void) in give([]) }
        } catch { throw .noKey(path: files.key) }
        if let bytes = contents.clientAuthorities, let path = files.clientAuthorities {
            clientAuthorities = try Self.certificates(bytes, path: path)
        } else {
            clientAuthorities = nil
        }
        do {
            _ = try context(asksClients: clientAuthorities != nil)
        } catch { throw .otherKey(path: files.key, certificate: files.certificate) }
    }

    /// Returns a new context: it resumes no session of any other.
    func context(asksClients: Bool) throws -> TLSContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.suites
        configuration.signingSignatureAlgorithms = Self.signatures
        configuration.applicationProtocols = ["http/1.1"]
        if asksClients {
            configuration.trustRoots = .certificates(clientAuthorities ?? [])
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private static func certificates(_ bytes: [UInt8], path: String) throws(TLSError) -> [NIOSSLCertificate] {
        // The error says no more than that there is none.
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw .noCertificate(path: path)
        }
        return found
    }

    private static func weakness(of leaf: NIOSSLCertificate) -> CertificateStrength.Weakness? {
        do {
            return try CertificateStrength.weakness(of: leaf.toDERBytes())
        } catch { return .key("a key that can't be read") }
    }

    static func isFailedHandshake(_ error: any Error) -> Bool {
        if case NIOSSLError.handshakeFailed = error { true } else { false }
    }
}

typealias TLSContext = NIOSSLContext

extension TLSContext { var handler: any ChannelHandler { NIOSSLServerHandler(context: self) } }
