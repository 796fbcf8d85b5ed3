internal import Crypto
internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What the person said about the purposes of one app.
///
/// It is a document of its own, so that nothing else that is damaged takes it along. While there is a memory and this
/// document is missing or damaged, everything counts as refused: so a refusal can be kept by removing it, which takes no
/// room on a full disk.
struct Consents: Sendable, Equatable {
    private var said: [String: Consent] = [:]
    /// What holds for purposes about which nothing is known: `denied` once something was said that can't be read.
    private(set) var others = Consent.notDetermined

    /// Of a person whom nobody has asked.
    init() {}

    /// What is left where nobody knows any more what was said.
    static let lost: Consents = {
        var consents = Consents()
        consents.others = .denied
        return consents
    }()

    subscript(purpose: String) -> Consent {
        get { said[purpose] ?? others }
        set { said[purpose] = newValue }
    }

    /// What holds also for another daemon: nobody agreed to that one.
    var refusals: Consents {
        var refusals = self
        refusals.said = said.filter { $0.value.isRefusal }
        return refusals
    }
}

extension Consent {
    /// Whether nothing is counted, whatever the plan asks for.
    var isRefusal: Bool { self == .denied || self == .restricted }
}

/// The document of ``Consents``.
///
/// Shape, as JSON: `address` of the plan, `said` by purpose, `others`, and `check`: SHA-256, in hexadecimal, over these three.
struct ConsentDocument: Codable {
    static let name = "consent.json"

    private let address: String
    private let said: [String: Consent]
    private let others: Consent
    private let check: String

    /// Reads what the person said.
    ///
    /// - Returns: nil where nothing is known; what is known otherwise, and whether anything was lost.
    static func read(from storage: AppStorage, for address: String) -> (consents: Consents, isLost: Bool)? {
        do {
            guard let data = try storage.read(name) else {
                return try storage.isUsed ? (.lost, true) : nil
            }
            let document = try JSONDecoder().decode(Self.self, from: data)
            guard document.check == Self.check(document.address, document.said, document.others) else {
                return (.lost, true)
            }
            let consents = Consents(said: document.said, others: document.others)
            return (document.address == address ? consents : consents.refusals, false)
        } catch {
            // Whoever could have refused has.
            return (.lost, true)
        }
    }

    static func write(_ consents: Consents, to storage: AppStorage, for address: String) throws {
        let (said, others) = consents.parts
        let document = Self(
            address: address, said: said, others: others, check: Self.check(address, said, others))
        try storage.replace(name, with: try JSONEncoder().encode(document))
    }

    private static func check(_ address: String, _ said: [String: Consent], _ others: Consent) -> String {
        let lines =
            [address, others.rawValue] + said.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.rawValue] }
        return SHA256.hash(data: Data(lines.joined(separator: "\u{1f}").utf8)).lowerHex
    }
}

extension Consents {
    fileprivate init(said: [String: Consent], others: Consent) {
        self.said = said
        self.others = others
    }

    fileprivate var parts: (said: [String: Consent], others: Consent) { (said, others) }
}

/// What may be counted at a moment: what the person said, and the signals that were set; among them that nobody knows the
/// person to be grown up.
struct Permissions: Sendable {
    var consents: Consents
    var signals: Set<OptOutSignal>

    /// Whether a purpose may count: consent where it is needed, no refusal where it is not, no signal that refuses it.
    func allows(_ purpose: DevicePlan.Purpose) -> Bool {
        guard purpose.refusedBy.isDisjoint(with: signals) else { return false }
        switch consents[purpose.name] {
        case .authorized: return !purpose.needsParent(signals)
        case .authorizedByParent: return true
        case .notDetermined: return !purpose.needsConsent
        case .denied, .restricted: return false
        }
    }
}
