internal import Crypto
internal import Foundation
internal import ThrongWire

/// The person's answers about the purposes of one app.
///
/// They are a document of their own, so that damage elsewhere does not take them along. If the document is missing or
/// damaged while there is a memory, everything counts as refused. A refusal can therefore be kept by removing the
/// document, which takes no room on a full disk.
struct Consents: Sendable, Equatable {
    fileprivate var said: [String: Consent] = [:]
    /// The version of each purpose that the person agreed to, if it is not the first.
    fileprivate var versions: [String: Int] = [:]
    /// The answer for purposes about which nothing is known: `denied` once an answer can't be read.
    fileprivate(set) var others = Consent.notDetermined

    /// The answers that are left when nobody knows any more what was said.
    static let lost = Consents(others: .denied)

    /// The person's answer, whichever version of the purpose it was about.
    subscript(purpose: String) -> Consent { said[purpose] ?? others }

    /// Takes what the person says.
    ///
    /// - Parameter version: which version of the purpose it is about.
    mutating func take(_ consent: Consent, for purpose: String, version: Int) {
        said[purpose] = consent
        versions[purpose] = consent.isAgreement && version > 1 ? version : nil
    }

    /// Returns the version of a purpose that the person agreed to; 1 if none is noted.
    func version(of purpose: String) -> Int { versions[purpose] ?? 1 }

    /// Returns the answer that holds now: agreement to an earlier version is none.
    func holding(for purpose: DevicePlan.Purpose) -> Consent {
        let consent = self[purpose.name]
        let isOutdated = consent.isAgreement && version(of: purpose.name) < purpose.consentVersion
        return purpose.needsConsent && isOutdated ? .notDetermined : consent
    }

    /// The refusals, which also hold for another daemon and on another device: nobody agreed to be counted there.
    var refusals: Consents {
        var refusals = self
        refusals.said = said.filter { $0.value.isRefusal }
        refusals.versions = [:]
        return refusals
    }
}

extension Consent {
    /// True if nothing is counted, whatever the plan asks for.
    var isRefusal: Bool { self == .denied || self == .restricted }

    /// True if somebody said yes.
    var isAgreement: Bool { self == .authorized || self == .authorizedByParent }
}

/// The document of ``Consents``.
///
/// Shape, as JSON: `address` of the plan, `said` by purpose, `others`, `versions` by purpose, `device` where
/// the storage is bound to one: ``AppStorage/mark``, and `check`: SHA-256, in hexadecimal, over these.
struct ConsentDocument: Codable {
    static let name = "consent.json"

    private let address: String
    private let said: [String: Consent]
    private let others: Consent
    private let versions: [String: Int]
    /// Nil if it is bound to no device.
    private let device: String?
    private let check: String

    /// Reads the person's answers.
    ///
    /// Agreement holds for the daemon and the device that it was about; refusals hold wherever they come to.
    ///
    /// - Returns: nil if nothing is known; otherwise what is known, whether anything was lost, and whether the document
    ///   is yet to be bound to this device.
    static func read(
        from storage: AppStorage, for address: String
    ) -> (consents: Consents, isLost: Bool, isUnbound: Bool)? {
        do {
            guard let data = try storage.read(name) else { return try storage.isUsed ? (.lost, true, false) : nil }
            let document = try JSONDecoder().decode(Self.self, from: data)
            let consents = Consents(said: document.said, versions: document.versions, others: document.others)
            guard document.check == Self.check(document.address, consents, device: document.device) else {
                return (.lost, true, false)
            }
            let mark = storage.mark
            let isHere = document.device == nil || document.device == mark
            let isUnbound = document.device == nil && mark != nil && document.address == address
            return (document.address == address && isHere ? consents : consents.refusals, false, isUnbound)
        } catch {
            // Answers that can't be read count as refusals.
            return (.lost, true, false)
        }
    }

    static func write(_ consents: Consents, to storage: AppStorage, for address: String) throws {
        let document = Self(
            address: address, said: consents.said, others: consents.others, versions: consents.versions,
            device: storage.mark, check: Self.check(address, consents, device: storage.mark))
        try storage.replace(name, with: try JSONEncoder().encode(document))
    }

    private static func check(_ address: String, _ consents: Consents, device: String?) -> String {
        let lines =
            [address, consents.others.rawValue]
            + consents.said.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.rawValue] }
            + consents.versions.sorted { $0.key < $1.key }.flatMap { [$0.key, String($0.value)] }
            + (device.map { ["device", $0] } ?? [])
        return SHA256.hash(data: Data(lines.joined(separator: "\u{1f}").utf8)).lowerHex
    }
}

/// The answers and signals of a moment; one signal is that the person may be a child.
struct Permissions: Sendable {
    var consents: Consents
    var signals: Set<OptOutSignal>

    /// Says whether a purpose may count: by consent, refusals, and signals.
    func allows(_ purpose: DevicePlan.Purpose) -> Bool { allows(purpose, consents.holding(for: purpose)) }

    /// Says the same whatever the version: one that asks again takes back nothing that was agreed to.
    func allowed(_ purpose: DevicePlan.Purpose) -> Bool { allows(purpose, consents[purpose.name]) }

    private func allows(_ purpose: DevicePlan.Purpose, _ consent: Consent) -> Bool {
        guard purpose.refusedBy.isDisjoint(with: signals) else { return false }
        switch consent {
        case .authorized: return !purpose.needsParent(signals)
        case .authorizedByParent: return true
        case .notDetermined: return !purpose.needsConsent
        case .denied, .restricted: return false
        }
    }
}
