internal import Crypto
internal import Synchronization
internal import ThrongAttestation
internal import ThrongJournal
internal import ThrongWire

/// The number of credentials that each device of an epoch has got, and the requests that they were given for.
///
/// Devices and requests are hashes of 64 bits, keyed with the epoch's secret: among ten million devices, two share one, and
/// their allowance, with a chance of three in a million. About 50 bytes of memory a credential.
final class IssuedCounts: Sendable {
    private struct State {
        var requests: Set<UInt64> = []
        var counts: [UInt64: Int] = [:]

        mutating func add(_ record: IssuedRecord) {
            if requests.insert(record.request).inserted { counts[record.device, default: 0] += 1 }
        }
    }

    private let key: SymmetricKey
    private let records: IssuedRecords
    private let state: Mutex<State>

    init(_ data: DataDirectory, epoch: Epoch, key: SymmetricKey) throws(JournalError) {
        self.key = key
        var found = State()
        records = try IssuedRecords(data, month: epoch.number) { found.add($0) }
        state = Mutex(found)
    }

    /// Says whether a request was answered before: then its answer may be given again: nobody else can use it.
    func knows(_ request: ProvedRequest, of app: AppName) -> Bool {
        let hash = hash("request", app, request.bytes)
        return state.withLock { $0.requests.contains(hash) }
    }

    /// Counts a request of a device, on disk before it returns; false if the device has got all that it may. A request
    /// that is known is not counted again. Blocks; one at a time.
    func admit(_ request: ProvedRequest, of app: AppName, device: AttestedDevice, most: Int) throws(JournalError)
        -> Bool
    {
        let record = IssuedRecord(
            device: hash("device", app, Array(device.attester.utf8) + [0] + device.key),
            request: hash("request", app, request.bytes))
        let verdict: Bool? = state.withLock { state in
            if state.requests.contains(record.request) { return true }
            return state.counts[record.device, default: 0] < most ? nil : false
        }
        if let verdict { return verdict }
        try records.append([record])
        state.withLock { $0.add(record) }
        return true
    }

    /// Returns a keyed hash of 64 bits. An app's name has no byte 0, so that its end is clear.
    private func hash(_ kind: String, _ app: AppName, _ bytes: [UInt8]) -> UInt64 {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(kind.utf8) + [0] + Array(app.text.utf8) + [0] + bytes, using: key)
        return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

struct AttestedDevice: Sendable, Hashable {
    let attester: String
    /// The bytes by which the attester knows the device, of any length. They are hashed at once, and never kept.
    let key: [UInt8]
}
