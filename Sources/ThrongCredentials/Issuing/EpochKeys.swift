internal import CryptoExtras
internal import Foundation
package import Logging
internal import Synchronization
package import ThrongAttestation
package import ThrongJournal
package import ThrongWire

/// The keys by which credentials are issued and checked: one secret a calendar month, and from it a key for each app.
///
/// A secret is on disk before anybody is told of its keys, in `credentials/` of the data directory. It is destroyed
/// once the last window of its epoch takes no batch any more (``Epoch/over``), and with it what was kept of the devices
/// that got credentials. Daemons that share one house would have to share these: nothing else knows where a key lies.
///
/// A secret that is damaged is replaced by another one, by which devices get other credentials. The new one is used
/// only once every window is over in which credentials of the former were counted: nobody counts twice in one.
package final class EpochKeys: Sendable {
    private struct Month {
        let issuers: [AppName: Issuer]
        let devices: SymmetricKey
        /// The instant from which it is used.
        let from: UnixSeconds
    }

    private let files: KeptSecrets
    private let data: DataDirectory
    private let apps: [AppName]
    private let clock: UnixClock
    private let logger: Logger
    private let months: Mutex<[Epoch: Month]>
    /// The numbers of the months whose secret was damaged.
    private let damaged: Set<Int64>
    private let turning = Mutex(())

    /// The length of half a secret: the first is for issuers, the second for hashes of devices. Unit: bytes.
    private static let halfBytes = KeptSecrets.byteCount / 2

    /// Reads the secrets that were kept, and draws the present one where there is none.
    ///
    /// - Parameter apps: those that issue credentials.
    /// - Throws: ``JournalError`` if the secrets can't be read; an ``AttestationError`` for an app's name that is too
    ///   long.
    package init(_ data: DataDirectory, apps: [AppName], clock: UnixClock, logger: Logger) throws {
        files = try KeptSecrets(data, for: .credentials)
        (self.data, self.apps, self.clock, self.logger) = (data, apps, clock, logger)
        var found: [Epoch: Month] = [:]
        let secrets = try files.all()
        damaged = Set(secrets.damaged)
        for (number, secret) in secrets.found {
            guard let epoch = Epoch(number: number) else { continue }
            found[epoch] = try Self.month(secret, epoch, apps)
        }
        months = Mutex(found)
        turn(mayDestroy: false)
    }

    /// Returns the secrets that check presentations of an app's epoch; nil if its key is not there, or not any more.
    package func secrets(of epoch: Epoch, app: AppName) -> IssuerSecrets? { issuer(of: epoch, app: app)?.secrets }

    /// Returns the issuer of credentials of an app's epoch; nil if its key is not there, or not any more.
    package func issuer(of epoch: Epoch, app: AppName) -> Issuer? { used(epoch)?.issuers[app] }

    /// Returns an epoch's keys; nil as long as they are not used yet.
    private func used(_ epoch: Epoch) -> Month? {
        months.withLock { months in months[epoch].flatMap { $0.from <= clock.now ? $0 : nil } }
    }

    /// The epochs for which credentials are issued now, as far as their keys are on disk.
    package var issued: [Epoch] { Epoch.issued(at: clock.now).filter { used($0) != nil } }

    /// Returns the key by which devices and requests of an epoch are hashed; nil if it is not there, or not any more.
    func deviceKey(of epoch: Epoch) -> SymmetricKey? { used(epoch)?.devices }

    /// Draws secrets that are missing, and destroys those that are over. Blocks.
    ///
    /// A secret that can't be kept is not used, and one that can't be destroyed now is tried again; the log says so.
    ///
    /// - Parameter mayDestroy: whether the time of day is believed. A clock that is ahead must not cost anybody a credential.
    /// - Returns: why not all of it was done; nil if it was.
    @discardableResult package func turn(mayDestroy: Bool) -> (any Error)? {
        turning.withLock { _ in
            let now = clock.now
            let needed = Epoch.issued(at: now)
            let known = Set(months.withLock { $0.keys })
            do {
                for epoch in needed where !known.contains(epoch) {
                    let bytes = SymmetricKey(size: .init(bitCount: 8 * KeptSecrets.byteCount))
                        .withUnsafeBytes { Array($0) }
                    // A window takes batches until the one after the next begins.
                    let rest = damaged.contains(epoch.number) ? now + 2 * Rotation.longest.seconds : .min
                    let secret = KeptSecrets.Kept(bytes, from: rest)
                    let month = try Self.month(secret, epoch, apps)
                    try files.keep(secret, of: epoch.number)
                    months.withLock { $0[epoch] = month }
                }
                guard mayDestroy else { return nil }
                for epoch in known where epoch.over <= now || epoch > Epoch(containing: now).next {
                    try files.destroy(epoch.number)
                    months.withLock { $0[epoch] = nil }
                }
                let kept = months.withLock { Set($0.keys.map(\.number)) }
                for month in try IssuedRecords.months(in: data) where !kept.contains(month) {
                    try IssuedRecords.remove(month: month, in: data)
                }
                return nil
            } catch {
                logger.error("keys of credentials could not be kept or destroyed", metadata: ["error": "\(error)"])
                return error
            }
        }
    }

    private static func month(_ secret: KeptSecrets.Kept, _ epoch: Epoch, _ apps: [AppName]) throws -> Month {
        var issuers: [AppName: Issuer] = [:]
        for app in apps { issuers[app] = try Issuer(secret: secret.bytes[..<halfBytes], app: app, epoch: epoch) }
        return Month(issuers: issuers, devices: SymmetricKey(data: secret.bytes[halfBytes...]), from: secret.from)
    }
}

/// The key by which credentials of one app and epoch are issued.
///
/// Each app has a key of its own: the issuer does not see for which app and epoch a request was made, so that by a key for
/// several apps one could ask where it is easy, and present where it is hard.
package struct Issuer: Sendable {
    package let secrets: IssuerSecrets
    /// 99 bytes, the same for everybody.
    package let publicKey: [UInt8]
    private let key: P256._ARCV1.PrivateKey

    /// - Parameter secret: the epoch's, 32 bytes that nobody knows.
    init(secret: some ContiguousBytes, app: AppName, epoch: Epoch) throws {
        let random = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: try epoch.requestContext(of: app), outputByteCount: 192)
        let numbers = IssuerSecrets.rawRepresentation(drawnFrom: random.withUnsafeBytes { Array($0) })
        secrets = try IssuerSecrets(rawRepresentation: numbers)
        key = try P256._ARCV1.PrivateKey(rawRepresentation: numbers)
        publicKey = Array(key.publicKey.rawRepresentation)
    }

    /// Answers a request whose proof holds: 454 bytes. The same request gets another answer each time, and the same credential.
    ///
    /// - Complexity: about 1.7 ms.
    package func issue(_ request: ProvedRequest) throws -> [UInt8] {
        Array(try key.issue(P256._ARCV1.CredentialRequest(rawRepresentation: request.bytes)).rawRepresentation)
    }
}

/// A request whose proof holds: swift-crypto stops the process at proofs that lead to the point at infinity.
package struct ProvedRequest: Sendable {
    /// 226 bytes.
    package let bytes: [UInt8]

    /// Reads a request and checks its proof; nil if it does not hold.
    ///
    /// - Complexity: about a millisecond.
    package init?(_ bytes: some Collection<UInt8>) throws(AttestationError) {
        let request = try CredentialRequest(rawRepresentation: bytes)
        guard request.isProved else { return nil }
        self.bytes = request.rawRepresentation
    }
}
