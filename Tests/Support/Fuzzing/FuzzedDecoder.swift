/// The decoders that read what strangers, partners, proxies, devices or a damaged disk may bring. Each has a folder of inputs in
/// `Corpus`.
package enum FuzzedDecoder: String, Sendable, CaseIterable {
    /// Bodies of batches, previews, reveals and withdrawals: JSON.
    case batch
    /// Bodies of firsts: JSON.
    case first
    /// Bodies that credentials are asked for with, batches with proofs and evaluated values, and what stands behind these: JSON.
    case attested
    /// What platforms attest of a device's key: CBOR, certificates and what is in them.
    case attestation
    /// Packed bodies.
    case gzip
    /// Binary HTTP: requests and responses.
    case message
    /// Encapsulated requests, and lists of keys.
    case sealed
    /// What credentials are made with.
    case credential
    /// Requests to an evaluator, and its answers.
    case evaluation
    /// The PROXY protocol's header.
    case proxy
    /// Plans: YAML.
    case plan
    /// Records and headers of the journal, and kept flushes.
    case journal
    /// The index of a checkpoint of open windows.
    case checkpoint
    /// By what daemons that hand requests on know one another.
    case member
    /// Requests of HTTP: the head, and where they end.
    case head

    /// Ready to read.
    ///
    /// - Throws: what keeps it from being made, such as a plan of its own that is none any more.
    package func target() throws -> any FuzzTarget {
        switch self {
        case .batch: try BatchTarget()
        case .first: try FirstTarget()
        case .attested: try AttestedTarget()
        case .attestation: try AttestationTarget()
        case .gzip: GzipTarget()
        case .message: MessageTarget()
        case .sealed: SealedTarget()
        case .credential: try CredentialTarget()
        case .evaluation: try EvaluationTarget()
        case .proxy: ProxyTarget()
        case .plan: PlanTarget()
        case .journal: JournalTarget()
        case .checkpoint: CheckpointTarget()
        case .member: MemberTarget()
        case .head: HeadTarget()
        }
    }
}
