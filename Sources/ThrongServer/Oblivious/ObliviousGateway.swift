internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization
internal import ThrongJournal
internal import ThrongSystem
internal import ThrongWire

/// Opens requests that were sealed for this daemon, by keys of one day each, in UTC.
///
/// The newest key is published. Each opens until the end of the day after its own, for clients that hold a
/// configuration for a day. Then it is destroyed, and recorded requests stay closed.
final class ObliviousGateway: Sendable {
    private struct State {
        var secrets: [Int64: [UInt8]] = [:]
        /// The days whose secrets are in no file yet.
        var unkept: Set<Int64> = []
        var keys: [GatewayKey] = []
        var list = SignedKeys()
    }

    /// The list of key configurations, and its signature by the gateway's lasting key.
    struct SignedKeys {
        var configuration: [UInt8] = []
        var signature = ""
    }

    /// The file in the data directory with the secret that signs the keys of each day.
    private static let signerName = "gateway.secret"

    /// The key that signs; nil if its secret is damaged. Clients that hold keys go on sealing then.
    private let signer: GatewaySigner?
    private let files: KeptSecrets
    private let clock: UnixClock
    private let logger: Logger
    private let state: Mutex<State>
    /// Held during a turn, so that there is one at a time.
    private let turning = Mutex(())

    /// The longest sealed request, with its padding. Unit: bytes.
    let bodyBytes: Int
    let limits: MessageLimits

    private static let daySeconds: Int64 = 86_400

    /// Reads the keys that were kept, and makes today's if there is none. Unit of the longest body: bytes.
    init(_ data: DataDirectory, contentBytes: Int, clock: UnixClock, logger: Logger) throws(JournalError) {
        signer = try Self.signer(in: data)
        files = try KeptSecrets(data, for: .oblivious)
        (self.clock, self.logger) = (clock, logger)
        limits = MessageLimits(contentBytes: contentBytes)
        bodyBytes = SizeClass.bytes(holding: contentBytes + MessageLimits.headBytes) + OpenedRequest.overheadBytes
        state = Mutex(State(secrets: try files.all().found.mapValues(\.bytes)))
        turn()
    }

    var list: SignedKeys { state.withLock { $0.list } }

    /// The identity by which clients know the gateway; nil if it is damaged.
    var identity: GatewayIdentity? { signer?.identity }

    private static func signer(in data: DataDirectory) throws(JournalError) -> GatewaySigner? {
        do throws(JournalError) {
            let secret = try LastingSecret(signerName, as: .gatewaySecret, in: data) {
                GatewaySigner().secretRepresentation
            }
            if let signer = GatewaySigner(secret: secret.bytes) { return signer }
            throw .damagedFile(FileDamage(path: data.path + "/" + signerName, kind: .gatewaySecret, flaw: .content))
        } catch {
            guard case .damagedFile(let damage) = error else { throw error }
            if case .newer = damage.flaw { throw error }
            data.tell(damage)
            return nil
        }
    }

    /// Opens an encapsulated request with the keys of today and yesterday.
    func open(_ body: ByteBuffer) throws(ObliviousError) -> OpenedRequest {
        let bytes = body.getBytes(at: body.readerIndex, length: body.readableBytes) ?? []
        return try OpenedRequest(bytes[...], by: state.withLock { $0.keys })
    }

    /// Makes today's key if there is none, and destroys those that are over. Blocks.
    ///
    /// A disk that takes nothing keeps nobody from sending: the key is kept once it does. A key that can't be destroyed
    /// now is tried again; it opens nothing meanwhile.
    ///
    /// - Returns: the error if not all of it was done; nil if it was.
    @discardableResult func turn() -> JournalError? {
        turning.withLock { _ in
            let today = clock.now.flooredQuotient(by: Self.daySeconds)
            let (unkept, over) = state.withLock { state in
                if state.secrets[today] == nil {
                    state.secrets[today] = KeyMechanism.allCases.flatMap {
                        GatewayKey(id: 0, mechanism: $0).secretRepresentation
                    }
                    state.unkept.insert(today)
                }
                let known = state.secrets.filter { (today - 1...today).contains($0.key) }
                state.keys = known.sorted { $0.key > $1.key }.flatMap { Self.keys(of: $0.key, $0.value) }
                let list = KeyConfiguration.encoded(state.keys.prefix(KeyMechanism.allCases.count).map(\.configuration))
                if list != state.list.configuration { state.list = signed(list) }
                return (
                    state.secrets.filter { state.unkept.contains($0.key) },
                    state.secrets.keys.filter { known[$0] == nil }
                )
            }
            do throws(JournalError) {
                for day in over {
                    try files.destroy(day)
                    state.withLock { state in
                        state.secrets[day] = nil
                        state.unkept.remove(day)
                    }
                }
                for (day, secret) in unkept where !over.contains(day) {
                    try files.keep(KeptSecrets.Kept(secret), of: day)
                    _ = state.withLock { $0.unkept.remove(day) }
                }
                return nil
            } catch {
                logger.error(
                    "keys of the oblivious gateway could not be kept or destroyed", metadata: ["error": "\(error)"])
                return error
            }
        }
    }

    private func signed(_ list: [UInt8]) -> SignedKeys {
        var keys = SignedKeys(configuration: list)
        do { keys.signature = try signer?.signature(over: list) ?? "" } catch {
            // Clients take no list that is not signed.
            logger.error("the keys of the oblivious gateway could not be signed", metadata: ["error": "\(error)"])
        }
        return keys
    }

    /// Returns the keys of a day, one per mechanism. Their numbers repeat after 128 days.
    private static func keys(of day: Int64, _ secret: [UInt8]) -> [GatewayKey] {
        KeyMechanism.allCases.enumerated().compactMap { place, mechanism in
            GatewayKey(
                id: UInt8(truncatingIfNeeded: 2 * day + Int64(place)), mechanism: mechanism,
                secret: secret[place * GatewayKey.secretBytes..<(place + 1) * GatewayKey.secretBytes])
        }
    }
}

/// The route `GET /v1/ohttp-keys`: the keys for sealing requests, the same for everybody.
struct GatewayKeyRoutes {
    let gateway: ObliviousGateway

    /// A key opens for a day after it was published last. Unit: seconds.
    private static let cacheSeconds = 3600

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/ohttp-keys") { [gateway] _, _ in
            let list = gateway.list
            var headers: HTTPFields = [
                .contentType: KeyConfiguration.mediaType, .cacheControl: "public, max-age=\(Self.cacheSeconds)",
                .xContentTypeOptions: "nosniff",
            ]
            if let name = HTTPField.Name(GatewayIdentity.signatureHeader) { headers[name] = list.signature }
            return Response(.ok, ByteBuffer(bytes: list.configuration), headers)
        }
    }
}
